package providertest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/config"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestMatrix keeps the list of dialects complete in which the long runs go through all cells.
func TestMatrix(t *testing.T) {
	t.Parallel()
	var names []string
	for _, dialect := range api.Dialects {
		names = append(names, dialect.Name)
	}
	want := "${DIALECTS:-" + strings.Join(names, " ") + "}"
	if !strings.Contains(readText(t, filepath.Join(root, ".ci", "torture")), want) {
		t.Errorf(".ci/torture should say %q", want)
	}
}

// TestPlane_speaksNeutral does the same in every dialect, and sees the same: whatever is on the wire, tests are neutral.
func TestPlane_speaksNeutral(t *testing.T) {
	t.Parallel()
	var tested atomic.Int64
	t.Cleanup(func() {
		if count := tested.Load(); os.Getenv("AGENTPLANE_TEST_DIALECT") == "" && count != int64(len(api.Dialects)) {
			t.Errorf("%d dialects were tested", count)
		}
	})
	providertest.EachDialect(t, func(t *testing.T) {
		tested.Add(1)
		plane := providertest.NewDev(t)
		if want := filepath.Base(t.Name()); plane.Dialect().Name != want {
			t.Fatalf("the plane speaks %q, want %q", plane.Dialect().Name, want)
		}
		sourceConfig := plane.SourceConfig(api.SourceExternalContainer, map[string]any{
			"listener_id": plane.ListenerID, "listener_config": map[string]any{"k8s_namespace": plane.K8sNamespace},
		})
		var made struct{ ID, Source string }
		plane.Call("POST", "/v2/deployments", map[string]any{
			"name": "chat", "source": "external_container", "source_config": sourceConfig, "secrets": []any{},
			"source_revision_config": map[string]any{"image_uri": "registry.example.com/agents/chat:1"},
		}, &made)
		if made.Source != "external_container" {
			t.Errorf("the source is answered as %q", made.Source)
		}
		var repositories []struct{ Name string }
		plane.Call("GET", "/v1/integrations/git_host/"+plane.IntegrationID+"/repos", nil, &repositories)
		if len(repositories) == 0 {
			t.Error("there are no repositories")
		}
		for pattern, body := range map[string]string{
			"/v2/deployments": `"source":"external_container"`, "/v1/integrations/git_host/*/repos": "",
		} {
			method := "GET"
			if body != "" {
				method = "POST"
			}
			seen := plane.Requests(method, pattern)
			if len(seen) != 1 || !strings.Contains(string(seen[0].Body), body) {
				t.Errorf("%s %s: seen %+v", method, pattern, seen)
			}
		}
		// Responses from faults are never validated against the contract.
		const integrations = "/v1/integrations/git_host/install"
		plane.Arm(devserver.Fault{Match: "GET " + integrations, Status: 200, HTML: "<p>Sign in"})()
		account := providertest.Account{
			URL: plane.URL, APIKey: providertest.APIKey, WorkspaceID: providertest.WorkspaceID, Dialect: plane.Dialect(),
		}
		var page any
		if err := account.Call(t.Context(), "GET", integrations, nil, &page); err == nil {
			t.Errorf("the fault has not hit: %v", page)
		}
	})
}

// TestPlane_SourceConfig never replaces what a test says.
func TestPlane_SourceConfig(t *testing.T) {
	t.Parallel()
	full := map[string]any{"resource_spec": map[string]any{"cpu": 1}}
	repository := map[string]any{"build_on_push": false, "deployment_type": api.DeploymentTypeProd}
	tests := []struct {
		dialect      *api.Dialect
		source       api.Source
		config, want map[string]any
	}{
		{api.Neutral, api.SourceExternalContainer, nil, map[string]any{}},
		{api.Neutral, api.SourceGitHost, nil, map[string]any{}},
		{api.LangSmith, api.SourceExternalContainer, nil, map[string]any{"resource_spec": map[string]any{}}},
		{api.LangSmith, api.SourceExternalContainer, full, full},
		{api.LangSmith, api.SourceGitHost, nil, repository},
		{api.LangSmith, api.SourceInternalSource, full, full},
	}
	for _, test := range tests {
		plane := providertest.NewFrom(t, test.dialect, recorded(t, nil))
		if diff := cmp.Diff(test.want, plane.SourceConfig(test.source, test.config)); diff != "" {
			t.Errorf("%s in %s: %s", test.source, test.dialect.Name, diff)
		}
	}
}

// TestPlane_Name expects names that sweepers find, and readable ones in the dev server.
func TestPlane_Name(t *testing.T) {
	t.Parallel()
	plane := providertest.NewFrom(t, api.Neutral, recorded(t, nil))
	if got := plane.Name("chat"); got != providertest.Prefix+"chat" {
		t.Errorf("the name is %q", got)
	}
	if got, want := plane.Image("1.0.0"), "registry.example.com/agents/chat:1.0.0"; got != want {
		t.Errorf("the image is %q, want %q", got, want)
	}
	variables := plane.Variables(config.Variables{"k8s_namespace": config.StringVariable("mine")})
	got := map[string]bool{}
	for name := range variables {
		got[name] = true
	}
	want := map[string]bool{"listener_id": true, "k8s_namespace": true, "integration_id": true, "suffix": true}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestNew_installation takes what it needs to know from the environment, which it changes.
func TestNew_installation(t *testing.T) {
	for name, value := range map[string]string{
		"AGENTPLANE_BASE_URL": "https://agents.example.com/api-host", "AGENTPLANE_DIALECT": "langsmith",
		"AGENTPLANE_TEST_IMAGE": "registry.acme.dev/chat", "TF_VAR_listener_id": oneID, "TF_VAR_k8s_namespace": "agents",
	} {
		t.Setenv(name, value)
	}
	plane := providertest.New(t)
	if plane.URL != "https://agents.example.com/api-host" || plane.Server != nil || plane.Dialect() != api.LangSmith {
		t.Errorf("got %s in %s", plane.URL, plane.Dialect().Name)
	}
	if plane.ListenerID != oneID || plane.K8sNamespace != "agents" || plane.Image("1.1.0") != "registry.acme.dev/chat:1.1.0" {
		t.Errorf("deployments refer to %q, %q and %q", plane.ListenerID, plane.K8sNamespace, plane.Image("1.1.0"))
	}
	if name := plane.Name("chat"); !regexp.MustCompile(`^tf-acc-chat-[a-z0-9]{5}$`).MatchString(name) || name != plane.Name("chat") {
		t.Errorf("the name is %q", name)
	}
	if _, set := plane.Variables(nil)["image_uri"]; !set {
		t.Error("the image is left to the configurations, which name one that doesn't exist")
	}
}

// violating is set for the process in which TestPlane_breaksContract is meant to fail.
const violating = "AGENTPLANE_TEST_VIOLATING"

// TestPlane_breaksContract sends an undefined request to a plane, in a separate process whose test must fail.
func TestPlane_breaksContract(t *testing.T) {
	t.Parallel()
	if os.Getenv(violating) != "" {
		providertest.NewFrom(t, api.LangSmith, recorded(t, nil)).Call("GET", "/v2/listeners?sort=name", nil, nil)
		return
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), program, "-test.run=^TestPlane_breaksContract$")
	command.Env = append(os.Environ(), violating+"=1")
	output, err := command.CombinedOutput()
	if err == nil || !strings.Contains(string(output), "request GET /v2/listeners?sort=name breaks the contract") {
		t.Errorf("the test ended with %v: %s", err, output)
	}
}
