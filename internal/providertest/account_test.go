package providertest_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestInstallation changes the environment, so it can't run in parallel.
func TestInstallation(t *testing.T) {
	tests := map[string]struct {
		environment map[string]string
		want        providertest.Account
		problem     string
	}{
		"nothing": {nil, providertest.Account{}, "no installation is named: set AGENTPLANE_BASE_URL"},
		"an address": {
			map[string]string{"AGENTPLANE_BASE_URL": "https://a.example.com/api-host/", "AGENTPLANE_API_KEY": "key", "LANGSMITH_API_KEY": "other"},
			providertest.Account{URL: "https://a.example.com/api-host", APIKey: "key", Dialect: api.Neutral}, "",
		},
		"a region": {
			map[string]string{
				"AGENTPLANE_DIALECT": "langsmith", "AGENTPLANE_REGION": "eu", "LANGSMITH_API_KEY": "key", "LANGSMITH_TENANT_ID": "workspace",
			},
			providertest.Account{URL: "https://eu.api.host.langchain.com", APIKey: "key", WorkspaceID: "workspace", Dialect: api.LangSmith}, "",
		},
		"ours before the product's": {
			map[string]string{
				"AGENTPLANE_DIALECT": "langsmith", "AGENTPLANE_REGION": "us", "AGENTPLANE_API_KEY": "key", "LANGSMITH_API_KEY": "other",
				"AGENTPLANE_WORKSPACE_ID": "workspace", "LANGSMITH_WORKSPACE_ID": "another",
			},
			providertest.Account{URL: "https://api.host.langchain.com", APIKey: "key", WorkspaceID: "workspace", Dialect: api.LangSmith}, "",
		},
		"a region without hosts": {
			map[string]string{"AGENTPLANE_REGION": "eu"}, providertest.Account{},
			`AGENTPLANE_REGION: the dialect "neutral" has no hosts in region "eu"`,
		},
		"a dialect nobody speaks": {
			map[string]string{"AGENTPLANE_DIALECT": "klingon", "AGENTPLANE_BASE_URL": "https://a.example.com"}, providertest.Account{},
			`AGENTPLANE_DIALECT: dialect "klingon" is unknown`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			for _, variable := range os.Environ() {
				name, _, _ := strings.Cut(variable, "=")
				if strings.HasPrefix(name, "AGENTPLANE_") || strings.HasPrefix(name, "LANGSMITH_") {
					t.Setenv(name, "")
				}
			}
			for name, value := range test.environment {
				t.Setenv(name, value)
			}
			got, err := providertest.Installation()
			if test.problem != "" {
				if err == nil || !strings.HasPrefix(err.Error(), test.problem) {
					t.Fatalf("got error %v, want %q", err, test.problem)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got.Dialect != test.want.Dialect {
				t.Errorf("the dialect is %q", got.Dialect.Name)
			}
			got.Dialect, test.want.Dialect = nil, nil
			if diff := cmp.Diff(&test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestAccount_Call uses neutral words with a service of another dialect.
func TestAccount_Call(t *testing.T) {
	t.Parallel()
	type message struct {
		Method, Target, Body string
		Header               http.Header
	}
	var got message
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		got = message{r.Method, r.URL.RequestURI(), string(body), http.Header{}}
		for _, name := range []string{"X-Api-Key", "X-Tenant-Id", "Content-Type"} {
			if value := r.Header.Get(name); value != "" {
				got.Header.Set(name, value)
			}
		}
		if r.Method == http.MethodPut {
			w.WriteHeader(http.StatusMethodNotAllowed)
		}
		_, _ = io.WriteString(w, `{"source":"github"}`)
	}))
	t.Cleanup(service.Close)
	key := http.Header{"X-Api-Key": {"key"}}
	posted := http.Header{"X-Api-Key": {"key"}, "X-Tenant-Id": {"workspace"}, "Content-Type": {"application/json"}}
	tests := []struct {
		name, method, path string
		body               any
		workspace          string
		want               message
		answer, problem    string
	}{
		{
			name: "a body", method: "POST", path: "/v2/deployments", body: map[string]string{"source": "external_container"}, workspace: "workspace",
			want: message{"POST", "/v2/deployments", `{"source":"external_docker"}`, posted}, answer: `{"source":"git_host"}`,
		},
		{
			name: "a path", method: "GET", path: "/v1/integrations/git_host/install?a=b",
			want: message{"GET", "/v1/integrations/github/install?a=b", "", key}, answer: `{"source":"git_host"}`,
		},
		{
			name: "what no dialect translates", method: "POST", path: "/dev/push", body: map[string]string{"source": "git_host"}, workspace: "workspace",
			want: message{"POST", "/dev/push", `{"source":"git_host"}`, posted}, answer: `{"source":"github"}`,
		},
		{
			name: "a refusal", method: "PUT", path: "/v2/listeners", want: message{"PUT", "/v2/listeners", "", key},
			problem: `PUT /v2/listeners: status 405: {"source":"github"}`,
		},
	}
	for _, test := range tests {
		account := providertest.Account{URL: service.URL, APIKey: "key", WorkspaceID: test.workspace, Dialect: api.LangSmith}
		var answer json.RawMessage
		err := account.Call(t.Context(), test.method, test.path, test.body, &answer)
		if err == nil && test.problem != "" || err != nil && err.Error() != test.problem {
			t.Errorf("%s: got error %v, want %q", test.name, err, test.problem)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
		if string(answer) != test.answer {
			t.Errorf("%s: got %s, want %s", test.name, answer, test.answer)
		}
	}
}
