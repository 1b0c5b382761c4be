package client

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// raw loses the reply to every create and then lists one object in the given JSON.
func raw(object string) http.HandlerFunc {
	return appearing(noResources, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			hangUp(w, r)
		}
		answerWith(http.StatusOK, `{"resources":[`+object+`],"offset":0}`)(w, r)
	})
}

// TestLostCreateInLangSmith adopts a deployment that is provably ours although the service resolved its ref, filled in defaults and masked values.
func TestLostCreateInLangSmith(t *testing.T) {
	t.Parallel()
	repository := api.DeploymentCreateRequest{
		Name: "chat", Source: api.SourceGitHost,
		SourceConfig: api.SourceConfigRequest{
			IntegrationID:  api.Some[api.UUID]("0f0e0d0c-0b0a-4908-8706-050403020100"),
			RepoURL:        api.Some("https://github.com/acme/chat"),
			DeploymentType: api.Some(api.DeploymentTypeProd), BuildOnPush: api.Some(false), InstallCommand: api.Some("npm ci"),
		},
		SourceRevisionConfig: api.SourceRevisionConfigRequest{RepoRef: api.Some("main"), GraphConfigPath: api.Some("langgraph.json")},
	}
	image := api.DeploymentCreateRequest{
		Name: "chat", Source: api.SourceExternalContainer,
		SourceConfig: api.SourceConfigRequest{
			ListenerID:     api.Some[api.UUID]("0f0e0d0c-0b0a-4908-8706-050403020100"),
			ListenerConfig: api.Some(api.ListenerConfig{K8sNamespace: new("agents")}),
			ResourceSpec:   api.Some(api.ResourceSpec{}),
		},
		SourceRevisionConfig: api.SourceRevisionConfigRequest{ImageURI: api.Some("registry.example.com/chat:1")},
		Secrets:              []api.Secret{{Name: "A", Value: "hunter22"}},
		SecretReferences: api.Some([]api.SecretReference{
			{Name: "B", SecretName: "s", SecretKey: "b"}, {Name: "A2", SecretName: "s", SecretKey: "a"},
		}),
		Shareable: api.Some(false),
	}
	const (
		built = `{"id":"d0000001-0000-4000-8000-000000000000","name":"chat","source":"github","status":"READY","secrets":[],
			"source_config":{"integration_id":"0f0e0d0c-0b0a-4908-8706-050403020100","repo_url":"https://github.com/acme/chat",
				"repo_branch":"main","deployment_type":"prod","build_on_push":false,"resource_spec":{"redis_memory_mb":2048}},
			"source_revision_config":{"repo_ref":"4f1c2a","repo_commit_sha":"4f1c2a","langgraph_config_path":"langgraph.json",
				"image_uri":"host.example.com/built/chat:4f1c2a"}}`
		pulled = `{"id":"d0000001-0000-4000-8000-000000000000","name":"chat","source":"external_docker","status":"READY","shareable":false,
			"secrets":[{"name":"A","value":"hunter22"}],
			"secret_references":[{"name":"A2","secret_name":"s","secret_key":"a"},{"name":"B","secret_name":"s","secret_key":"b"}],
			"source_config":{"listener_id":"0f0e0d0c-0b0a-4908-8706-050403020100","deployment_type":"prod","build_on_push":false,
				"resource_spec":{"cpu":1,"redis_cpu":1}},
			"source_revision_config":{"image_uri":"registry.example.com/chat:1"}}`
	)
	tests := map[string]struct {
		asked        api.DeploymentCreateRequest
		answer       string
		before, with string // A replacement in the response.
		want         string // Part of the reason for refusing to adopt; empty: adopted.
	}{
		"repository":                {repository, built, "", "", ""},
		"repository, nothing built": {repository, built, `"repo_ref":"4f1c2a"`, `"repo_ref":null`, ""},
		"repository, not resolved":  {repository, built, `"repo_ref":"4f1c2a"`, `"repo_ref":"main"`, ""},
		"repository, neither ref nor branch": {
			repository, strings.Replace(built, `"repo_branch":"main",`, "", 1), "", "", "source_revision_config.repo_ref",
		},
		"other branch":      {repository, built, `"repo_branch":"main"`, `"repo_branch":"dev"`, "source_revision_config.repo_ref"},
		"other source":      {repository, pulled, "", "", "it differs in secrets"},
		"command, reported": {repository, built, `"repo_branch"`, `"install_command":"make","repo_branch"`, "source_config.install_command"},

		"image": {image, pulled, "", "", ""},
		"other reference": {
			image, pulled, `"secret_key":"b"`, `"secret_key":"c"`, "it differs in secret_references[1].secret_key",
		},
		"references left out": {
			image, pulled, `"secret_references":[{"name":"A2","secret_name":"s","secret_key":"a"},{"name":"B","secret_name":"s","secret_key":"b"}],`, "", "",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if !strings.Contains(test.answer, test.before) {
				t.Fatalf("the response doesn't contain %s, which the test replaces", test.before)
			}
			c, s := serve(t, raw(strings.Replace(test.answer, test.before, test.with, 1)), speaking(api.LangSmith))
			d, _, err := c.CreateDeployment(t.Context(), test.asked)
			if diff := cmp.Diff([]string{"GET /v2/deployments", "POST /v2/deployments", "GET /v2/deployments"}, s.calls()); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
			if test.want == "" {
				if err != nil || d.ID != "d0000001-0000-4000-8000-000000000000" {
					t.Errorf("CreateDeployment = %v, %v; want d0000001-0000-4000-8000-000000000000", d, err)
				}
				return
			}
			unknown, ok := errors.AsType[*OutcomeUnknownError](err)
			if !ok || unknown.ID != "d0000001-0000-4000-8000-000000000000" || !strings.Contains(unknown.Reason, test.want) {
				t.Errorf("CreateDeployment = %v, %v; want an OutcomeUnknownError for d0000001-0000-4000-8000-000000000000 because of %q", d, err, test.want)
			}
		})
	}
}

// TestWholeLists reads lists that come in one piece, and pages where the service sends pages after all.
func TestWholeLists(t *testing.T) {
	t.Parallel()
	whole := numbered(120)
	first := url.Values{"limit": {"100"}, "offset": {"0"}}
	for name, test := range map[string]struct {
		dialect *api.Dialect
		body    any
		status  int
		want    int // -1: an error.
		queries []url.Values
	}{
		"whole":             {api.LangSmith, whole, 200, 120, []url.Values{{}}},
		"empty":             {api.LangSmith, `[]`, 200, 0, []url.Values{{}}},
		"in pages":          {api.LangSmith, `{"resources":[],"offset":0}`, 200, 0, []url.Values{{}, first}},
		"refused":           {api.LangSmith, `{"detail":"no"}`, 403, -1, []url.Values{{}}},
		"something else":    {api.LangSmith, `{"ok":true}`, 200, -1, []url.Values{{}}},
		"whole, in neutral": {api.Neutral, whole, 200, 120, []url.Values{first}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, s := serve(t, answerWith(test.status, test.body), speaking(test.dialect))
			got, err := Collect(c.OAuthProviders().List(t.Context()))
			if (err != nil) != (test.want < 0) || err == nil && len(got) != test.want {
				t.Errorf("%d items, %v; want %d", len(got), err, test.want)
			}
			var queries []url.Values
			for _, r := range s.requests {
				queries = append(queries, r.Query)
			}
			if diff := cmp.Diff(test.queries, queries); diff != "" {
				t.Errorf("queries (-want +got):\n%s", diff)
			}
		})
	}
}

// TestInstallations lists with the newer operations, and with the older ones where the service has no others.
func TestInstallations(t *testing.T) {
	t.Parallel()
	const v1, v2, id = "/v1/integrations/github", "/v2/integrations/github/installations", "3a000001-0000-4000-8000-000000000000"
	integration := `{"id":"` + id + `","installation_id":1,"name":"acme"}`
	for name, tc := range map[string]struct {
		answers map[string]string // By path and query; else, there is no such path.
		status  int               // Of other paths.
		want    int               // -1: an error.
		asked   []string
	}{
		"newer": {map[string]string{
			v2 + "?page_size=100":            `{"items":[` + integration + `],"next_cursor":"a b"}`,
			v2 + "?cursor=a+b&page_size=100": `{"items":[` + strings.Replace(integration, "3a", "3b", 1) + `],"next_cursor":null}`,
		}, 404, 2, []string{v2 + "?page_size=100", v2 + "?cursor=a+b&page_size=100"}},
		"older":           {map[string]string{v1 + "/install?": `[` + integration + `]`}, 404, 1, []string{v2 + "?page_size=100", v1 + "/install?"}},
		"other methods":   {map[string]string{v1 + "/install?": `[]`}, 405, 0, []string{v2 + "?page_size=100", v1 + "/install?"}},
		"refused":         {nil, 403, -1, []string{v2 + "?page_size=100"}},
		"something else":  {map[string]string{v2 + "?page_size=100": `{"ok":true}`}, 404, -1, []string{v2 + "?page_size=100"}},
		"without an ID":   {map[string]string{v2 + "?page_size=100": `{"items":[{"name":"acme"}]}`}, 404, -1, []string{v2 + "?page_size=100"}},
		"the same cursor": {map[string]string{v2 + "?page_size=100": `{"items":[],"next_cursor":"a"}`, v2 + "?cursor=a&page_size=100": `{"items":[],"next_cursor":"a"}`}, 404, -1, []string{v2 + "?page_size=100", v2 + "?cursor=a&page_size=100"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, s := serve(t, func(w http.ResponseWriter, r *http.Request) {
				body, known := tc.answers[r.URL.Path+"?"+r.URL.RawQuery]
				if !known {
					answerWith(tc.status, `{"detail":"`+map[int]string{404: "Not Found", 405: "Method Not Allowed", 403: "no"}[tc.status]+`"}`)(w, r)
					return
				}
				answerWith(200, body)(w, r)
			}, speaking(api.LangSmith))
			got, err := Collect(c.ListIntegrations(t.Context()))
			if (err != nil) != (tc.want < 0) || err == nil && len(got) != tc.want {
				t.Errorf("%v, %v; want %d", got, err, tc.want)
			}
			var asked []string
			for _, r := range s.requests {
				asked = append(asked, r.Path+"?"+r.Query.Encode())
			}
			if diff := cmp.Diff(tc.asked, asked); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDeleteOptions(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		withProject bool
		want        url.Values
	}{
		"alone":                {false, url.Values{}},
		"with tracing project": {true, url.Values{"delete_tracing_project": {"true"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, s := serve(t, script(answerWith(502, nil), answerWith(204, nil)), speaking(api.LangSmith))
			if err := c.DeleteDeployment(t.Context(), "d0000001-0000-4000-8000-000000000000", test.withProject); err != nil {
				t.Fatal(err)
			}
			for _, r := range s.requests {
				if diff := cmp.Diff(test.want, r.Query); diff != "" {
					t.Errorf("query (-want +got):\n%s", diff)
				}
			}
		})
	}
}

// TestOlderLogs uses the older request for logs with installations that don't have the documented endpoint.
func TestOlderLogs(t *testing.T) {
	t.Parallel()
	const (
		documented = "GET /v2/deployments/d0000001-0000-4000-8000-000000000000/revisions/2a000001-0000-4000-8000-000000000000/logs"
		older      = "POST /v1/projects/d0000001-0000-4000-8000-000000000000/revisions/2a000001-0000-4000-8000-000000000000/build_logs"
		lines      = `{"logs":[{"id":"2","timestamp":2000,"message":"two"},{"id":"1","timestamp":1000,"message":"one"}],"next_offset":null}`
	)
	tests := map[string]struct {
		dialect  *api.Dialect
		first    http.HandlerFunc
		requests []string
		status   int // The error's status; 0: success.
	}{
		"documented":         {api.LangSmith, answerWith(200, lines), []string{documented}, 0},
		"method not allowed": {api.LangSmith, answerWith(405, `{"detail":"Method Not Allowed"}`), []string{documented, older}, 0},
		"no route":           {api.LangSmith, answerWith(404, `{"detail":"Not Found"}`), []string{documented, older}, 0},
		"page":               {api.LangSmith, answerWith(404, "<html></html>"), []string{documented, older}, 0},
		"no revision":        {api.LangSmith, answerWith(404, `{"detail":"Revision ID 2a000001-0000-4000-8000-000000000000 not found."}`), []string{documented}, 404},
		"forbidden":          {api.LangSmith, answerWith(403, `{"detail":"no"}`), []string{documented}, 403},
		"neutral":            {api.Neutral, answerWith(404, `{"detail":"Not Found"}`), []string{documented}, 404},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, s := serve(t, script(test.first, answerWith(200, lines)), speaking(test.dialect))
			got, err := c.RevisionLogs(t.Context(), "d0000001-0000-4000-8000-000000000000", "2a000001-0000-4000-8000-000000000000", api.LogTypeBuild, 2)
			if StatusOf(err) != test.status || (err == nil) != (test.status == 0) {
				t.Fatalf("error = %v, want status %d", err, test.status)
			}
			if diff := cmp.Diff(test.requests, s.calls()); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
			if err == nil && (len(got) != 2 || got[0].Message != "one" || got[1].Message != "two") {
				t.Errorf("lines = %+v, want one, then two", got)
			}
			if asked := s.last(t); asked.Method == http.MethodPost && asked.Body != `{"limit":2,"order":"desc"}` {
				t.Errorf("body = %s, want limit 2 and descending order", asked.Body)
			}
		})
	}
	c, _ := serve(t, answerWith(405, `{"detail":"Method Not Allowed"}`), speaking(api.LangSmith))
	if _, err := c.RevisionLogs(t.Context(), "d0000001-0000-4000-8000-000000000000", "2a000001-0000-4000-8000-000000000000", api.LogTypeDeploy, 1); StatusOf(err) != 405 {
		t.Errorf("error = %v, want the 405 of the older request", err)
	}
}
