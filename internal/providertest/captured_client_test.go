package providertest_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// capturedClient is a client of what was captured, whose messages are held to the contract.
func capturedClient(t *testing.T, service http.Handler) *client.Client {
	t.Helper()
	plane := providertest.NewFrom(t, api.LangSmith, service)
	c, err := client.New(client.Config{
		BaseURL: plane.URL, APIKey: providertest.APIKey, Dialect: api.LangSmith, Sleep: plane.Clock.Sleep, Now: plane.Clock.Now,
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func value[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func text[T ~string](s *T) string {
	if s == nil {
		return "–"
	}
	return string(*s)
}

func TestCaptured_deploymentsDecode(t *testing.T) {
	t.Parallel()
	type told struct {
		Name             string
		Source           api.Source
		Status           api.DeploymentStatus
		Type, Branch     string
		Ref, Graph       string
		Secrets, Refs    int
		URL, DisplayName string
	}
	c := capturedClient(t, recorded(t, nil))
	var got []told
	deployments := value[[]api.Deployment](t)(client.Collect(c.ListDeployments(t.Context(), client.DeploymentFilter{})))
	for _, d := range deployments {
		got = append(got, told{
			d.Name, d.Source, d.Status, text(d.SourceConfig.DeploymentType), text(d.SourceConfig.RepoBranch),
			text(d.SourceRevisionConfig.RepoRef), text(d.SourceRevisionConfig.GraphConfigPath),
			len(d.Secrets), len(d.SecretReferences), text(d.URL), text(d.DisplayName),
		})
	}
	want := []told{
		{
			"support-agent", "git_host", "READY", "prod", "main", "9fceb02d0ae598e95dc970b74767f19372d61af8", "langgraph.json", 2, 0,
			"https://support-agent-5d41402abc4b2a76b9719d911017c592.us.langgraph.app", "Support agent",
		},
		{"research-agent", "external_container", "READY", "prod", "–", "–", "–", 1, 1, "–", "–"},
		{"starter", "internal_template", "AWAITING_FINAL_DELETE", "dev_zero", "–", "–", "–", 0, 0, "–", "–"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if spec := deployments[1].SourceConfig.ResourceSpec; spec == nil || spec.CacheMemoryMB == nil || *spec.CacheMemoryMB != 2048 {
		t.Errorf("the resource_spec lacks the cache: %+v", spec)
	}
}

// TestCaptured_everyStatusDecodes also reads what is younger than anything known.
func TestCaptured_everyStatusDecodes(t *testing.T) {
	t.Parallel()
	c := capturedClient(t, recorded(t, nil))
	var got []api.RevisionStatus
	for _, revision := range value[[]api.Revision](t)(client.Collect(c.ListRevisions(t.Context(), gitHostID, client.RevisionFilter{}))) {
		got = append(got, revision.Status)
	}
	want := []api.RevisionStatus{
		"CREATING", "QUEUED", "AWAITING_BUILD", "BUILDING", "AWAITING_DEPLOY", "DEPLOYING", "CREATE_FAILED", "BUILD_FAILED",
		"DEPLOY_FAILED", "DEPLOYED", "SKIPPED", "INTERRUPTED", "UNKNOWN",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}

	younger := strings.NewReplacer(`"READY"`, `"HIBERNATING"`, `"internal_template"`, `"external_wasm"`, `"dev_zero"`, `"serverless"`)
	future := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		reply(w, http.StatusOK, younger.Replace(readCaptured(t, "deployments_list")))
	}))
	t.Cleanup(future.Close)
	c = value[*client.Client](t)(client.New(client.Config{BaseURL: future.URL, Dialect: api.LangSmith}))
	var statuses []string
	for _, d := range value[[]api.Deployment](t)(client.Collect(c.ListDeployments(t.Context(), client.DeploymentFilter{}))) {
		statuses = append(statuses, string(d.Source)+" "+string(d.Status))
	}
	if diff := cmp.Diff([]string{
		"git_host HIBERNATING", "external_container HIBERNATING", "external_wasm AWAITING_FINAL_DELETE",
	}, statuses); diff != "" {
		t.Error(diff)
	}
}

func TestCaptured_othersDecode(t *testing.T) {
	t.Parallel()
	c := capturedClient(t, recorded(t, nil))
	var got []string
	for _, i := range value[[]api.Integration](t)(client.Collect(c.ListIntegrations(t.Context()))) {
		got = append(got, "integration "+i.Name)
	}
	for _, r := range value[[]api.Repository](t)(client.Collect(c.ListRepositories(t.Context(), integrationID))) {
		got = append(got, "repository "+r.Owner+"/"+r.Name+" of "+r.HostIntegrationID)
	}
	for _, l := range value[[]api.Listener](t)(client.Collect(c.ListListeners(t.Context()))) {
		got = append(got, "listener "+l.ComputeID+" "+text(l.Version)+" "+strings.Join(l.ComputeConfig.K8sNamespaces, " "))
	}
	for _, p := range value[[]api.OAuthProviderResponse](t)(client.Collect(c.ListOAuthProviders(t.Context()))) {
		got = append(got, "oauth provider "+p.ProviderID+" "+text(p.ProviderType))
	}
	want := []string{
		"integration acme",
		"repository acme/support-agent of " + integrationID, "repository acme/agents of " + integrationID,
		"listener production 0.1.0 agents agents-staging", "listener bare – ",
		"oauth provider calendar –", "oauth provider tools x",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestCaptured_errorsAreTold expects errors to contain the service's own message.
func TestCaptured_errorsAreTold(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		status int
		want   string
	}{
		"error_400":                  {400, "'source_config.listener_id' is required for workspace with available listener IDs"},
		"error_403_organization_key": {403, "requires workspace specification"},
		"error_403_not_enabled":      {403, "LangSmith Deployment is not enabled for this organization"},
		"error_403_listeners":        {403, "Creating listeners is only allowed for LangSmith organizations with self-hosted enterprise plans."},
		"error_404":                  {404, "Deployment ID " + gitHostID + " not found."},
		"error_409":                  {409, "A deployment named 'support-agent' already exists."},
		"error_422":                  {422, "Input should be less than or equal to 8"},
	}
	for file, test := range tests {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if _, err := io.Copy(io.Discard, r.Body); err != nil {
					t.Error(err)
				}
				reply(w, test.status, readCaptured(t, file))
			}))
			t.Cleanup(service.Close)
			c := value[*client.Client](t)(client.New(client.Config{BaseURL: service.URL, Dialect: api.LangSmith}))
			_, _, err := c.CreateDeployment(t.Context(), api.DeploymentCreateRequest{Name: "support-agent", Secrets: []api.Secret{}})
			if client.StatusOf(err) != test.status || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %d %q", err, test.status, test.want)
			}
		})
	}
}
