package client

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// speaking sets the client's dialect.
func speaking(d *api.Dialect) func(*Config) { return func(cfg *Config) { cfg.Dialect = d } }

func TestHosts(t *testing.T) {
	t.Parallel()
	type endpoints struct{ ControlPlane, Tracing, Dashboard, SuggestedBaseURL string }
	const page = "/o/t1/host/deployments/d0000001-0000-4000-8000-000000000000"
	tests := map[string]struct {
		dialect       *api.Dialect
		base, tracing string
		want          endpoints
	}{
		"cloud": {api.LangSmith, "https://api.host.langchain.com", "", endpoints{
			"https://api.host.langchain.com", "https://api.smith.langchain.com", "https://smith.langchain.com" + page, "",
		}},
		"region": {api.LangSmith, "https://eu.api.host.langchain.com/", "", endpoints{
			"https://eu.api.host.langchain.com", "https://eu.api.smith.langchain.com", "https://eu.smith.langchain.com" + page, "",
		}},
		"region younger than this": {api.LangSmith, "https://mars.api.host.langchain.com", "", endpoints{
			"https://mars.api.host.langchain.com", "https://mars.api.smith.langchain.com",
			"https://mars.smith.langchain.com" + page, "",
		}},
		"cloud in capitals": {api.LangSmith, "https://EU.API.host.langchain.com", "", endpoints{
			"https://EU.API.host.langchain.com", "https://eu.api.smith.langchain.com", "https://eu.smith.langchain.com" + page, "",
		}},
		"self-hosted": {api.LangSmith, "https://agents.example.com/api-host", "", endpoints{
			"https://agents.example.com/api-host", "https://agents.example.com", "https://agents.example.com" + page, "",
		}},
		"self-hosted below a path": {api.LangSmith, "https://example.com/agents/api-host/", "", endpoints{
			"https://example.com/agents/api-host", "https://example.com/agents", "https://example.com/agents" + page, "",
		}},
		"self-hosted without path": {api.LangSmith, "https://agents.example.com", "", endpoints{
			"https://agents.example.com", "https://agents.example.com", "https://agents.example.com" + page,
			"https://agents.example.com/api-host",
		}},
		"tracing elsewhere": {api.LangSmith, "https://agents.example.com/api-host", "https://traces.example.com/", endpoints{
			"https://agents.example.com/api-host", "https://traces.example.com", "https://agents.example.com" + page, "",
		}},
		"tracing as its own tools are told": {api.LangSmith, "https://agents.example.com/api-host", "https://t.example.com/api/v1", endpoints{
			"https://agents.example.com/api-host", "https://t.example.com", "https://agents.example.com" + page, "",
		}},
		"neutral": {api.Neutral, "https://agents.example.com/api-host", "", endpoints{
			"https://agents.example.com/api-host", "https://agents.example.com", "", "",
		}},
		"neutral without path": {api.Neutral, "https://agents.example.com", "", endpoints{
			"https://agents.example.com", "https://agents.example.com", "", "https://agents.example.com/api-host",
		}},
		"neutral below another path": {api.Neutral, "https://agents.example.com/api", "", endpoints{
			"https://agents.example.com/api", "https://agents.example.com/api", "", "https://agents.example.com/api-host",
		}},
		"neutral, tracing elsewhere": {nil, "https://agents.example.com", "http://localhost:8125/traces", endpoints{
			"https://agents.example.com", "http://localhost:8125/traces", "", "https://agents.example.com/api-host",
		}},
		"another product's cloud, neutral": {api.Neutral, "https://api.smith.langchain.com", "", endpoints{
			"https://api.smith.langchain.com", "https://api.smith.langchain.com", "", "https://api.smith.langchain.com/api-host",
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := New(Config{Dialect: test.dialect, BaseURL: test.base, TracingURL: test.tracing})
			if err != nil {
				t.Fatal(err)
			}
			got := endpoints{c.baseURL, c.tracingURL, c.DashboardURL("t1", "d0000001-0000-4000-8000-000000000000"), c.suggestedBaseURL}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("hosts (-want +got):\n%s", diff)
			}
		})
	}
}

func TestHostsRefused(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ base, tracing, setting, want string }{
		"tracing API of the cloud": {
			"https://api.smith.langchain.com", "", "base_url", `is not a control plane's: that of the same region is https://api.host.langchain.com`,
		},
		"tracing API of a region": {
			"https://eu.api.smith.langchain.com/api/v1", "", "base_url", "https://eu.api.host.langchain.com",
		},
		"pages of a region":       {"https://aws.smith.langchain.com", "", "base_url", "https://aws.api.host.langchain.com"},
		"a version":               {"https://agents.example.com/api-host/v2", "", "base_url", "write it as https://agents.example.com/api-host"},
		"a version of the cloud":  {"https://api.host.langchain.com/v1/", "", "base_url", "write it as https://api.host.langchain.com"},
		"main API":                {"https://agents.example.com/api/v1", "", "base_url", "write it as https://agents.example.com/api-host"},
		"no such port":            {"https://agents.example.com:99999", "", "base_url", "the last port is 65535"},
		"no such port of traces":  {"https://h", "https://h:65536", "tracing_url", "the last port is 65535"},
		"tracing without scheme":  {"https://h", "traces.example.com", "tracing_url", "http(s) URL with a host"},
		"tracing with a password": {"https://h", "https://user:hunter22@h", "tracing_url", "user name or password"},
		"tracing with a query":    {"https://h", "https://h?x=1", "tracing_url", "query or a fragment"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := New(Config{Dialect: api.LangSmith, BaseURL: test.base, TracingURL: test.tracing})
			refused, ok := errors.AsType[*SettingError](err)
			if !ok || refused.Setting != test.setting {
				t.Fatalf("error = %v, want one about the setting %s", err, test.setting)
			}
			if text := err.Error(); !strings.HasPrefix(text, test.setting) || !strings.Contains(text, test.want) {
				t.Errorf("error %q does not contain %q", text, test.want)
			}
			if strings.Contains(err.Error(), "hunter22") {
				t.Errorf("error %q contains the secret", err)
			}
		})
	}
}

func TestRegionURL(t *testing.T) {
	t.Parallel()
	for region, want := range map[string]string{
		"us": "https://api.host.langchain.com", "eu": "https://eu.api.host.langchain.com",
		"apac": "https://apac.api.host.langchain.com", "aws-us": "https://aws.api.host.langchain.com",
	} {
		if got, err := RegionURL(api.LangSmith, region); err != nil || got != want {
			t.Errorf("RegionURL(%s) = %q, %v; want %q", region, got, err, want)
		}
	}
	for dialect, want := range map[*api.Dialect]string{
		api.LangSmith: `region "mars" is unknown: use one of apac, aws-us, eu, us`,
		api.Neutral:   `region "mars" has no hosts in the dialect "neutral"`,
	} {
		if _, err := RegionURL(dialect, "mars"); err == nil || err.Error() != want {
			t.Errorf("error = %v, want %q", err, want)
		}
	}
}

func TestEndpointURL(t *testing.T) {
	t.Parallel()
	for endpoint, want := range map[string]string{
		"https://api.smith.langchain.com":          "https://api.host.langchain.com",
		"https://eu.api.smith.langchain.com":       "https://eu.api.host.langchain.com",
		"https://apac.api.smith.langchain.com/":    "https://apac.api.host.langchain.com",
		"https://aws.api.smith.langchain.com/api":  "https://aws.api.host.langchain.com",
		"https://api.langchain.com":                "https://api.host.langchain.com",
		"https://xapi.smith.langchain.com/api/v1":  "https://api.host.langchain.com",
		"https://eu.api.host.langchain.com":        "https://eu.api.host.langchain.com",
		"https://agents.example.com/api/v1":        "https://agents.example.com/api-host",
		"https://agents.example.com/api/v1/":       "https://agents.example.com/api-host",
		"https://agents.example.com/api":           "https://agents.example.com/api-host",
		"https://agents.example.com":               "https://agents.example.com/api-host",
		"https://agents.example.com/api-host":      "https://agents.example.com/api-host",
		"https://example.com/agents/api/v1":        "https://example.com/agents/api-host",
		"http://agents.example.com:8080/api":       "http://agents.example.com:8080/api-host",
		"https://api.smith.langchain.com.evil.com": "https://api.smith.langchain.com.evil.com/api-host",
	} {
		t.Run(endpoint, func(t *testing.T) {
			t.Parallel()
			if got, err := EndpointURL(api.LangSmith, "LANGSMITH_ENDPOINT", endpoint); err != nil || got != want {
				t.Errorf("EndpointURL(%s) = %q, %v; want %q", endpoint, got, err, want)
			}
		})
	}
	for _, endpoint := range []string{"agents.example.com", "https://[::1", "https://user:hunter22@agents.example.com"} {
		got, err := EndpointURL(api.LangSmith, "LANGSMITH_ENDPOINT", endpoint)
		if err == nil || !strings.HasPrefix(err.Error(), "LANGSMITH_ENDPOINT ") || strings.Contains(err.Error(), "hunter22") {
			t.Errorf("EndpointURL(%s) = %q, %v; want an error about LANGSMITH_ENDPOINT without the secret", endpoint, got, err)
		}
	}
}

func TestDashboardURL(t *testing.T) {
	t.Parallel()
	c, err := New(Config{Dialect: api.LangSmith, BaseURL: "https://api.host.langchain.com"})
	if err != nil {
		t.Fatal(err)
	}
	for ids, want := range map[[2]string]string{
		{"t1", "d0000001-0000-4000-8000-000000000000"}: "https://smith.langchain.com/o/t1/host/deployments/d0000001-0000-4000-8000-000000000000",
		{"t/1", "d?1"}: "https://smith.langchain.com/o/t%2F1/host/deployments/d%3F1",
		{"", "d0000001-0000-4000-8000-000000000000"}: "",
		{"t1", ""}: "",
	} {
		if got := c.DashboardURL(ids[0], ids[1]); got != want {
			t.Errorf("DashboardURL(%v) = %q, want %q", ids, got, want)
		}
	}
}

// TestTracingGoesToItsHostAlone sends requests to both APIs on their hosts, and one that is redirected to another host.
func TestTracingGoesToItsHostAlone(t *testing.T) {
	t.Parallel()
	for _, dialect := range api.Dialects {
		t.Run(dialect.Name, func(t *testing.T) {
			t.Parallel()
			_, lure := serve(t, answerWith(200, `{"id":"d0000001-0000-4000-8000-000000000000"}`))
			_, traces := serve(t, script(
				answerWith(200, `{"id":"d0000001-0000-4000-8000-000000000000"}`),
				answerWith(http.StatusAccepted, nil),
				answerWith(http.StatusFound, "", "Location", lure.URL+"/api/v1/sessions/moved"),
			))
			c, plane := serve(t, answerWith(200, `{"id":"d0000001-0000-4000-8000-000000000000","name":"chat"}`), speaking(dialect), func(cfg *Config) {
				cfg.TracingURL, cfg.WorkspaceID = traces.URL, "w1"
			})
			if _, err := c.Deployments().Get(t.Context(), "d0000001-0000-4000-8000-000000000000"); err != nil {
				t.Fatal(err)
			}
			if _, err := c.TracingProjects().Get(t.Context(), uuidOf(1)); err != nil {
				t.Fatal(err)
			}
			if err := c.LogRun(t.Context(), api.RunIngest{}); err != nil {
				t.Fatal(err)
			}
			_, err := c.TracingProjects().Get(t.Context(), "moved")
			if StatusOf(err) != http.StatusFound || !strings.Contains(err.Error(), "would take the credentials there") {
				t.Errorf("error = %v, want the redirect refused", err)
			}
			want := map[string][]string{
				"plane":  {"GET /v2/deployments/d0000001-0000-4000-8000-000000000000"},
				"traces": {"GET /api/v1/sessions/d0000001-0000-4000-8000-000000000000", "POST /api/v1/runs", "GET /api/v1/sessions/moved"},
				"lure":   {},
			}
			got := map[string][]string{"plane": plane.calls(), "traces": traces.calls(), "lure": lure.calls()}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
			header := traces.last(t).Header
			if header.Get("X-Api-Key") != "key-of-the-test" || header.Get("X-Tenant-Id") != "w1" {
				t.Errorf("the tracing API got key %q and workspace %q", header.Get("X-Api-Key"), header.Get("X-Tenant-Id"))
			}
		})
	}
}

// TestErrorsSayWhereElse expects errors to suggest the usual base URL when the response isn't from a control plane.
func TestErrorsSayWhereElse(t *testing.T) {
	t.Parallel()
	const page = "<html><title>Agents</title></html>"
	tests := map[string]struct {
		status int
		body   string
		prefix string
		say    bool
	}{
		"method not allowed":  {405, `{"detail":"Method Not Allowed"}`, "", true},
		"page":                {200, page, "", true},
		"page of a lost path": {404, page, "/api", true},
		"no route":            {404, `{"detail":"Not Found"}`, "/api", true},
		"page of a proxy":     {502, page, "", false},
		"no deployment":       {404, `{"detail":"Deployment ID d0000001-0000-4000-8000-000000000000 not found."}`, "", false},
		"forbidden":           {403, `{"detail":"no"}`, "", false},
		"at the usual place":  {405, `{"detail":"Method Not Allowed"}`, "/api-host", false},
	}
	for name, test := range tests {
		for _, dialect := range api.Dialects {
			t.Run(name+"/"+dialect.Name, func(t *testing.T) {
				t.Parallel()
				c, s := serve(t, answerWith(test.status, test.body), speaking(dialect), func(cfg *Config) {
					cfg.BaseURL, cfg.MaxRetries = cfg.BaseURL+test.prefix, 0
				})
				want := ""
				if test.say {
					want = s.URL + "/api-host"
				}
				_, err := c.Deployments().Get(t.Context(), "d0000001-0000-4000-8000-000000000000")
				if e, ok := errors.AsType[*Error](err); !ok || e.SuggestedBaseURL != want || e.Tracing {
					t.Errorf("error = %#v, want the suggested base URL %q", err, want)
				}
				_, err = c.TracingProjects().Get(t.Context(), uuidOf(1))
				if e, ok := errors.AsType[*Error](err); !ok || e.SuggestedBaseURL != "" || !e.Tracing {
					t.Errorf("error = %#v, want one of the tracing API", err)
				}
			})
		}
	}
}
