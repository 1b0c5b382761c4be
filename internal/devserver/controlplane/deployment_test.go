package controlplane_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

func TestCreateExternalContainer(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{Rollout: 20 * time.Second}).WithSeed(devservertest.WorkspaceA)
	request := devservertest.ImageRequest("chat", object{
		"source_config": object{
			"custom_url": "https://chat.example", "listener_id": p.Seeded.ListenerID,
			"listener_config": object{"k8s_namespace": "agents"}, "resource_spec": object{"db_cpu": 0.5},
		},
		"secrets": []any{object{"name": "B", "value": "2"}, object{"name": "A", "value": ""}},
	})
	got := p.Create(request)
	want := api.Deployment{
		Name: "chat", Source: api.SourceExternalContainer,
		SourceConfig: api.SourceConfig{
			CustomURL: new("https://chat.example"), ListenerID: &p.Seeded.ListenerID,
			ListenerConfig: &api.ListenerConfig{K8sNamespace: new("agents")},
			ResourceSpec:   &api.ResourceSpec{DBCPU: new(0.5), DBCPULimit: new(1.0)}, // The limit is a default.
		},
		SourceRevisionConfig: api.SourceRevisionConfig{ImageURI: new("registry.example:5000/team/agent:1.0")},
		Secrets:              []api.Secret{{Name: "B", Value: "2"}, {Name: "A"}},
		ID:                   got.ID, LatestRevisionID: got.LatestRevisionID,
		CreatedAt: "2026-05-02T10:00:00.000000Z", UpdatedAt: "2026-05-02T10:00:00.000000Z",
		Status: api.DeploymentAwaitingDatabase,
	}
	devservertest.Same(t, "created", want, got)
	devservertest.Same(t, "read", got, p.Deployment(got.ID))

	p.Clock.Advance(20 * time.Second)
	want.Status, want.UpdatedAt = api.DeploymentReady, "2026-05-02T10:00:20.000000Z"
	want.ActiveRevisionID, want.ImageVersion = got.LatestRevisionID, new("1.0")
	devservertest.Same(t, "deployed", want, p.Deployment(got.ID))
}

func TestCreateGitHost(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{}).WithSeed(devservertest.WorkspaceA)
	got := p.Create(p.RepoRequest("chat", object{"source_config": object{"build_command": "make", "install_command": "npm ci"}}))
	want := api.SourceConfig{
		IntegrationID: &p.Seeded.IntegrationID, RepoURL: new("https://git.example.com/example-org/chat"),
		DeploymentType: new(api.DeploymentTypeDev), BuildOnPush: new(false), BuildCommand: new("make"), InstallCommand: new("npm ci"),
		CustomURL: got.SourceConfig.CustomURL,
	}
	devservertest.Same(t, "source_config", want, got.SourceConfig)
	if url := got.SourceConfig.CustomURL; url == nil || !strings.HasPrefix(*url, p.Web.URL+"/agent-servers/") {
		t.Errorf("custom_url = %v, want one set by the service", url)
	}
	revision := got.SourceRevisionConfig
	if sha := revision.RepoCommitSHA; sha == nil || !regexp.MustCompile("^[0-9a-f]{40}$").MatchString(*sha) {
		t.Errorf("repo_commit_sha = %v, want a commit", sha)
	}
	if revision.RepoRef == nil || *revision.RepoRef != "main" || revision.ImageURI != nil {
		t.Errorf("source_revision_config = %+v, want the requested ref and no image", revision)
	}
}

// TestAnswersHaveEveryKey checks that every documented key is present at each level, with null if there is no value.
func TestAnswersHaveEveryKey(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	d := p.Create(devservertest.ImageRequest("chat", object{"source_config": object{"resource_spec": object{}}}))
	answered := devservertest.Get[object](p, "/v2/deployments/"+d.ID)
	spec := answered["source_config"].(object)["resource_spec"].(object)
	for at, keys := range map[string][]string{
		"": {"name", "source", "source_config", "source_revision_config", "secrets", "id", "created_at", "updated_at",
			"status", "latest_revision_id", "active_revision_id", "image_version"},
		"source_config": {"integration_id", "repo_url", "deployment_type", "build_on_push", "custom_url",
			"resource_spec", "listener_id", "listener_config", "install_command", "build_command"},
		"source_revision_config": {"repo_ref", "graph_config_path", "image_uri", "repo_commit_sha"},
	} {
		inner := maps.Clone(answered)
		if at != "" {
			inner = answered[at].(object)
		}
		for _, key := range keys {
			if _, there := inner[key]; !there {
				t.Errorf("%s has no key %s", at, key)
			}
			delete(inner, key)
		}
		if len(inner) > 0 {
			t.Errorf("%s has undocumented keys: %v", at, inner)
		}
	}
	for field := range reflect.TypeFor[api.ResourceSpec]().Fields() {
		key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if value, there := spec[key]; key != "-" && !api.IsExtension(field) && (!there || value != nil) {
			t.Errorf("resource_spec.%s = %v (present: %v), want null", key, value, there)
		}
	}
}

func TestSecretsAnswered(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		cfg  devserver.Config
		want []api.Secret
	}{
		"in clear": {devserver.Config{}, []api.Secret{{Name: "A", Value: "hush"}}},
		"masked":   {devserver.Config{MaskSecrets: true}, []api.Secret{{Name: "A", Value: "********"}}},
		"omitted":  {devserver.Config{OmitSecrets: true}, []api.Secret{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := devservertest.New(t, tc.cfg)
			created := p.Create(devservertest.ImageRequest("chat", object{"secrets": []any{object{"name": "A", "value": "hush"}}}))
			listed := devservertest.Get[api.List[api.Deployment]](p, "/v2/deployments").Resources[0]
			for _, d := range []api.Deployment{created, p.Deployment(created.ID), p.Patch(created.ID, object{}), listed} {
				devservertest.Same(t, "secrets", tc.want, d.Secrets)
			}
			for _, request := range p.Requests() {
				if strings.Contains(string(request.Body), "hush") {
					t.Errorf("the recorded request contains the value: %s", request.Body)
				}
			}
		})
	}
}

func TestNameIsReserved(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{Rollout: 20 * time.Second})
	d := p.Create(devservertest.ImageRequest("chat"))
	path := "/v2/deployments/" + d.ID
	taken := func(when string) {
		t.Helper()
		t.Log(when)
		p.Do(http.MethodPost, "/v2/deployments", devservertest.ImageRequest("chat")).Want(http.StatusConflict).
			WantDetail("A deployment named 'chat' already exists.")
	}
	taken("while it is there")
	p.Create(devservertest.ImageRequest("Chat"))

	if gone := p.Do(http.MethodDelete, path, nil).Want(http.StatusNoContent); len(gone.Body) > 0 {
		t.Errorf("the response with status 204 has a body: %s", gone.Body)
	}
	devservertest.Same(t, "status", api.DeploymentAwaitingDelete, p.Deployment(d.ID).Status)
	taken("while it is being deleted")
	p.Do(http.MethodDelete, path, nil).Want(http.StatusNotFound).WantDetail("Deployment ID " + d.ID + " not found.")
	p.Do(http.MethodPatch, path, object{"secrets": []any{}}).Want(http.StatusBadRequest).
		WantDetail("Deployment ID " + d.ID + " is being deleted and can't be changed.")

	p.Clock.Advance(5*time.Second - time.Microsecond)
	taken("until the very end")
	p.Clock.Advance(time.Microsecond)
	for _, method := range []string{http.MethodGet, http.MethodDelete} {
		p.Do(method, path, nil).Want(http.StatusNotFound).WantDetail("Deployment ID " + d.ID + " not found.")
	}
	p.Do(http.MethodGet, path+"/revisions", nil).Want(http.StatusNotFound)
	if again := p.Create(devservertest.ImageRequest("chat")); again.ID == d.ID {
		t.Error("the new deployment has the deleted one's ID")
	}
}

func TestListDeployments(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{Rollout: time.Hour}).WithSeed(devservertest.WorkspaceB)
	p.Header.Set("X-Tenant-Id", devservertest.WorkspaceB)
	repo := p.Create(p.RepoRequest("repo"))
	external := func(name, image string) api.Deployment {
		return p.Create(devservertest.ImageRequest(name, object{
			"source_config": object{
				"listener_id": p.Seeded.ListenerID, "listener_config": object{"k8s_namespace": "agents-staging"},
			},
			"source_revision_config": object{"image_uri": image},
		}))
	}
	one := external("chat-one", "agent:1")
	p.Clock.Advance(time.Hour)
	two := external("chat-two", "agent:2@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef")
	for query, want := range map[string][]string{
		"":                                 {"chat-two", "chat-one", "repo"},
		"name=chat-one":                    {"chat-one"},
		"name=chat":                        {},
		"name_contains=chat":               {"chat-two", "chat-one"},
		"name_contains=%25":                {},
		"status=READY":                     {"chat-one", "repo"},
		"status=AWAITING_DATABASE":         {"chat-two"},
		"deployment_type=dev":              {"repo"},
		"deployment_type=prod":             {},
		"image_version=1":                  {"chat-one"},
		"image_version=2":                  {},
		"deployment_ids=" + two.ID:         {"chat-two"},
		"name_contains=chat&status=READY":  {"chat-one"},
		"limit=1":                          {"chat-two"},
		"limit=1&offset=1":                 {"chat-one"},
		"limit=100&offset=3":               {},
		"unknown=1":                        {"chat-two", "chat-one", "repo"},
		"name_contains=o&limit=2&offset=1": {"chat-one", "repo"},
		"deployment_ids=" + devservertest.WorkspaceA:                   {},
		"name=chat-one&name_contains=nothing":                          {},
		"deployment_ids=" + repo.ID + ",%20" + strings.ToUpper(one.ID): {"chat-one", "repo"},
	} {
		got := []string{}
		page := devservertest.Get[api.List[api.Deployment]](p, "/v2/deployments?"+query)
		for _, d := range page.Resources {
			got = append(got, d.Name)
		}
		devservertest.Same(t, fmt.Sprintf("%q", query), want, got)
	}
}

func TestPagesFollowEachOther(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	for i := range 25 {
		p.Create(devservertest.ImageRequest(fmt.Sprintf("d%02d", i)))
	}
	var sizes []int
	var offsets []int64
	seen := map[string]bool{}
	for offset := int64(0); len(sizes) < 10; {
		page := devservertest.Get[api.List[api.Deployment]](p, fmt.Sprintf("/v2/deployments?offset=%d", offset))
		sizes, offsets = append(sizes, len(page.Resources)), append(offsets, page.Offset)
		for _, d := range page.Resources {
			seen[d.Name] = true
		}
		if len(page.Resources) == 0 {
			break
		}
		offset = page.Offset
	}
	devservertest.Same(t, "sizes", []int{20, 5, 0}, sizes)
	devservertest.Same(t, "offsets", []int64{20, 25, 25}, offsets)
	if len(seen) != 25 {
		t.Errorf("the pages have %d different deployments, want 25", len(seen))
	}
}

func TestParametersAreChecked(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	for path, want := range map[string][]string{
		"/v2/deployments?limit=0":                {"query limit greater_than_equal"},
		"/v2/deployments?limit=101&offset=-1":    {"query limit less_than_equal", "query offset greater_than_equal"},
		"/v2/deployments?limit=ten":              {"query limit int_parsing"},
		"/v2/deployments?offset=1.5":             {"query offset int_parsing"},
		"/v2/deployments?deployment_type=huge":   {"query deployment_type enum"},
		"/v2/deployments?deployment_ids=a,b":     {"query deployment_ids uuid_parsing", "query deployment_ids uuid_parsing"},
		"/v2/deployments/chat":                   {"path deployment_id uuid_parsing"},
		"/v2/deployments/chat/revisions?limit=x": {"query limit int_parsing", "path deployment_id uuid_parsing"},
		"/v2/deployments/chat/revisions/1":       {"path revision_id uuid_parsing", "path deployment_id uuid_parsing"},
		"/v2/listeners?limit=-5":                 {"query limit greater_than_equal"},
		"/v2/listeners/x":                        {"path listener_id uuid_parsing"},
		"/api/v1/sessions?limit=1000":            {"query limit less_than_equal"},
	} {
		got := []string{}
		for _, e := range devservertest.Into[api.HTTPValidationError](p.Do(http.MethodGet, path, nil).Want(422)).Detail {
			got = append(got, e.Loc[0].Key+" "+e.Loc[1].Key+" "+e.Type)
		}
		devservertest.Same(t, path, want, got)
	}
	got := devservertest.Into[api.HTTPValidationError](
		p.Do(http.MethodDelete, "/v2/deployments/"+devservertest.WorkspaceA+"?delete_tracing_project=perhaps", nil).Want(422))
	devservertest.Same(t, "type", "bool_parsing", got.Detail[0].Type)
}

func TestContentType(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	body, err := json.Marshal(devservertest.ImageRequest("chat"))
	devservertest.Must(t, err)
	for contentType, want := range map[string]int{
		"application/json; charset=utf-8":   http.StatusCreated,
		"application/vnd.agent+json":        http.StatusCreated,
		"application/x-www-form-urlencoded": http.StatusUnprocessableEntity,
		"text/json":                         http.StatusUnprocessableEntity,
		"nonsense/":                         http.StatusUnprocessableEntity,
	} {
		name := regexp.MustCompile("[^a-z]").ReplaceAllString(contentType, "")
		request := strings.Replace(string(body), `"chat"`, `"`+name+`"`, 1)
		p.As("Content-Type", contentType).Do(http.MethodPost, "/v2/deployments", request).Want(want)
	}
}
