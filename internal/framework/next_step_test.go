package framework_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// answering returns a client of a service that gives every request the same response.
func answering(t *testing.T, dialect *api.Dialect, status int, body, prefix string) (*client.Client, string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if status == http.StatusTooManyRequests {
			w.Header().Set("Retry-After", "90")
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(server.Close)
	c, err := client.New(client.Config{
		BaseURL: server.URL + prefix, Dialect: dialect, MaxRetries: 1,
		Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	})
	if err != nil {
		t.Fatal(err)
	}
	return c, server.URL
}

// TestFailure_answers expects the next step for error responses of real services; HOST stands for the service's host.
func TestFailure_answers(t *testing.T) {
	t.Parallel()
	const (
		page      = `<!doctype html><html><head><title>Agents</title></head></html>`
		workspace = "Set workspace_id (AGENTPLANE_WORKSPACE_ID) of the provider to the ID of one"
		elsewhere = "Check base_url (AGENTPLANE_BASE_URL): it must be the address of the control plane's API. A self-hosted " +
			"installation serves it under the path prefix /api-host: try HOST/api-host."
		somewhere = "serves it under the path prefix /api-host, for example https://agents.example.com/api-host."
	)
	tests := map[string]struct {
		status int
		body   string
		prefix string
		want   string
	}{
		"key of an organization": {
			403, `{"detail":"This API key is org-scoped and requires workspace specification. Please provide 'X-Tenant-ID' header."}`,
			"", workspace,
		},
		"key of an organization, by its code": {403, `{"error":"org_scoped_key_requires_workspace"}`, "", workspace},
		"feature turned off": {
			403, `{"detail":"LangSmith Deployment is not enabled for this organization"}`, "",
			"Ask an administrator of the organization, or the operators of the service, to enable it. Container images " +
				"(source external_container) require a self-hosted or hybrid installation",
		},
		"no plan for listeners": {
			403, `{"detail":"Listeners cannot be created for LangSmith workspace ID 'w1'. Creating listeners is only allowed for ` +
				`LangSmith organizations with self-hosted enterprise plans."}`, "",
			"Listeners require an organization whose plan includes self-hosted installations.",
		},
		"forbidden otherwise": {403, `{"detail":"Forbidden"}`, "", "Check that the API key has this permission in the workspace"},
		"listener missing": {
			400, `{"detail":"Source configuration error: 'source_config.listener_id' is required for workspace with available ` +
				`listener IDs: ['0f0e0d0c-0b0a-4908-8706-050403020100']"}`, "",
			"Set source_config.listener_id to one of them, and source_config.listener_config.k8s_namespace to one of its " +
				"namespaces; the data source agentplane_listeners lists both.",
		},
		"wrong otherwise":     {400, `{"detail":"not enabled"}`, "", "Fix the problem and apply again."},
		"unknown key":         {401, `{"detail":"Invalid token"}`, "", "A key is valid only for the installation, or the region of the cloud, that issued it."},
		"request timeout":     {408, `{"detail":"Too slow"}`, "", "Apply again; if the error persists, check proxies and load balancers in between."},
		"too early":           {425, `{"detail":"Too early"}`, "", "timed out before the request was complete. Apply again"},
		"too many requests":   {429, `{"detail":"slow down"}`, "", "Apply again in 1m30s, with a lower -parallelism"},
		"method not allowed":  {405, `{"detail":"Method Not Allowed"}`, "", elsewhere},
		"page":                {200, page, "", elsewhere},
		"page of a lost path": {404, page, "/api", elsewhere},
		"page at its place":   {200, page, "/api-host", somewhere},
		"conflict":            {409, `{"detail":"Busy"}`, "", "Another change is in progress, or this is still in use"},
		"no route":            {404, `{"detail":"Not Found"}`, "/api", elsewhere},
		"page of a proxy":     {503, page, "", "The service failed."},
	}
	for name, test := range tests {
		for _, dialect := range api.Dialects {
			t.Run(name+"/"+dialect.Name, func(t *testing.T) {
				t.Parallel()
				c, host := answering(t, dialect, test.status, test.body, test.prefix)
				_, err := c.Deployments().Get(t.Context(), "d1")
				got := read(framework.Failure{Summary: summary}.Diagnostics(err))
				want := strings.ReplaceAll(test.want, "HOST", host)
				if len(got) != 1 || !strings.Contains(got[0].Detail, want) {
					t.Errorf("diagnostics = %+v, want %q", got, want)
				}
				if status := fmt.Sprintf("Status: %d", test.status); len(got) == 1 && !strings.Contains(got[0].Detail, status) {
					t.Errorf("diagnostics = %+v, want %q", got, status)
				}
			})
		}
	}
}

// TestFailure_tracing expects the setting of the API that received the request.
func TestFailure_tracing(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		status int
		body   string
		want   string
	}{
		"method not allowed": {405, `{"detail":"Method Not Allowed"}`, "Check tracing_url (AGENTPLANE_TRACING_URL)"},
		"page":               {200, "<html></html>", "Check tracing_url (AGENTPLANE_TRACING_URL)"},
		"no route":           {404, `{"detail":"Not Found"}`, "Check tracing_url (AGENTPLANE_TRACING_URL)"},
		"missing":            {404, `{"detail":"Session ID p1 not found."}`, "Check the ID, workspace_id and base_url"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, _ := answering(t, api.LangSmith, test.status, test.body, "")
			_, err := c.TracingProjects().Get(t.Context(), "p1")
			if got := read(framework.Failure{Summary: summary}.Diagnostics(err)); len(got) != 1 || !strings.Contains(got[0].Detail, test.want) {
				t.Errorf("diagnostics = %+v, want %q", got, test.want)
			}
		})
	}
}

// TestFailure_intercepted expects the text about a gateway where 401 and 403 don't have the form of the service's errors, or come from
// another server than its other responses, and the text about the key everywhere else.
func TestFailure_intercepted(t *testing.T) {
	t.Parallel()
	const deployment = `{"id": "0f0e0d0c-0b0a-4908-8706-050403020100"}`
	for name, test := range map[string]struct {
		body, server string
		serverBefore string // Of a successful response; empty if there was none.
		intercepted  bool
	}{
		"text":                       {"denied", "", "", true},
		"nothing":                    {"", "awselb/2.0", "", true},
		"page":                       {"<html><title>Log in</title></html>", "cloudflare", "", true},
		"a gateway's JSON":           {`{"message":"Missing Authentication Token"}`, "", "", true},
		"JSON of another server":     {`{"detail":"Forbidden"}`, "Gate/2", "uvicorn", true},
		"JSON of a nameless server":  {`{"detail":"Forbidden"}`, "", "uvicorn", false},
		"of another version":         {`{"detail":"Forbidden"}`, "uvicorn/0.30", "uvicorn/0.29", false},
		"the service's":              {`{"detail":"Forbidden"}`, "uvicorn", "uvicorn", false},
		"the service's, by error":    {`{"error":"Forbidden"}`, "uvicorn", "", false},
		"the service's, not seen":    {`{"detail":"Forbidden"}`, "uvicorn", "", false},
		"the service's, with a list": {`{"detail":[{"loc":["header"],"msg":"missing"}]}`, "", "", false},
	} {
		for _, status := range []int{http.StatusUnauthorized, http.StatusForbidden} {
			t.Run(fmt.Sprint(name, " ", status), func(t *testing.T) {
				t.Parallel()
				refusing := test.serverBefore == ""
				server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					if !refusing {
						w.Header().Set("Server", test.serverBefore)
						_, _ = io.WriteString(w, deployment)
						refusing = true
						return
					}
					if test.server != "" {
						w.Header().Set("Server", test.server)
					}
					w.WriteHeader(status)
					_, _ = io.WriteString(w, test.body)
				}))
				t.Cleanup(server.Close)
				c, err := client.New(client.Config{BaseURL: server.URL + "/api-host", APIKey: "key-of-the-test"})
				if err != nil {
					t.Fatal(err)
				}
				const id = "0f0e0d0c-0b0a-4908-8706-050403020100"
				if test.serverBefore != "" {
					if _, err := c.Deployments().Get(t.Context(), id); err != nil {
						t.Fatal(err)
					}
				}
				_, err = c.Deployments().Get(t.Context(), id)
				got := read(framework.Failure{
					Summary: summary, NextSteps: map[int]string{status: "Check the API key."},
				}.Diagnostics(err))[0].Detail
				wants := []string{"Check the API key."}
				if test.intercepted {
					wants = []string{"Something in front of the service", "AGENTPLANE_HEADERS", test.server}
				}
				if asks := strings.Contains(got, "AGENTPLANE_BASE_URL"); asks != (test.intercepted && test.serverBefore == "") {
					t.Errorf("detail = %q asks to check base_url: %t", got, asks)
				}
				for _, want := range append(wants, fmt.Sprintf("Status: %d", status)) {
					if !strings.Contains(got, want) {
						t.Errorf("detail = %q, want %q in it", got, want)
					}
				}
				if test.intercepted == strings.Contains(got, "Check the API key") {
					t.Errorf("detail = %q, which blames the key: want %t", got, !test.intercepted)
				}
			})
		}
	}
}

// TestFailure_wordsFirst prefers the next step for the service's message to the caller's next step for the status.
func TestFailure_wordsFirst(t *testing.T) {
	t.Parallel()
	failure := framework.Failure{Summary: summary, NextSteps: map[int]string{http.StatusForbidden: "Ask nicely."}}
	for words, want := range map[string]string{
		"LangSmith Deployment is not enabled for this organization": "disabled this for the organization",
		"Forbidden": "Ask nicely.",
	} {
		if got := read(failure.Diagnostics(refused(http.StatusForbidden, words))); !strings.Contains(got[0].Detail, want) {
			t.Errorf("detail = %q, want %q in it", got[0].Detail, want)
		}
	}
}

// TestFailure_notOffered answers a creation with an unknown path after a read that was answered: no ID is to blame, and no URL.
func TestFailure_notOffered(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusNotFound, http.StatusMethodNotAllowed} {
		refused := &client.Error{Method: http.MethodPost, Path: "/v2/listeners", Status: status, Detail: "Not Found"}
		got := read(framework.Failure{Summary: summary}.Diagnostics(refused))[0].Detail
		if strings.Contains(got, "ID") || strings.Contains(got, "base_url") || !strings.Contains(got, "Ask the operators") {
			t.Errorf("%d: detail = %q", status, got)
		}
	}
}
