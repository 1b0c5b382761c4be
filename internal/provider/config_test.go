package provider_test

import (
	"crypto/x509"
	"encoding/pem"
	"io"
	"log"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// epoch is the start time of these tests' clocks.
var epoch = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// TestConfigure_precedence sets values in the provider block, in the environment or nowhere, and checks the resulting requests.
func TestConfigure_precedence(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		block, environment settings
		want               map[string]string
	}{
		"api_key": {
			settings{"api_key": "from-block"}, settings{"AGENTPLANE_API_KEY": "from-variable"},
			map[string]string{"X-Api-Key": "from-block"},
		},
		"AGENTPLANE_API_KEY": {
			nil, settings{"AGENTPLANE_API_KEY": "from-variable"}, map[string]string{"X-Api-Key": "from-variable"},
		},
		"bearer_token": {
			settings{"bearer_token": "from-block"}, settings{"AGENTPLANE_BEARER_TOKEN": "from-variable"},
			map[string]string{"Authorization": "Bearer from-block"},
		},
		"AGENTPLANE_BEARER_TOKEN": {
			nil, settings{"AGENTPLANE_BEARER_TOKEN": "from-variable"}, map[string]string{"Authorization": "Bearer from-variable"},
		},
		"a credential of the block over the other one of the environment": {
			settings{"bearer_token": "from-block"}, settings{"AGENTPLANE_API_KEY": "from-variable"},
			map[string]string{"Authorization": "Bearer from-block"},
		},
		"workspace_id": {
			settings{"workspace_id": "2b7f0a5d-1c3e-4f0a-9b1e-6c8d2e4f6a80"}, settings{"AGENTPLANE_WORKSPACE_ID": "9b1e6c8d-2e4f-4a80-8f0a-0d5a1c3e2b7f"},
			map[string]string{"X-Tenant-Id": "2b7f0a5d-1c3e-4f0a-9b1e-6c8d2e4f6a80"},
		},
		"AGENTPLANE_WORKSPACE_ID": {
			nil, settings{"AGENTPLANE_WORKSPACE_ID": "9b1e6c8d-2e4f-4a80-8f0a-0d5a1c3e2b7f"}, map[string]string{"X-Tenant-Id": "9b1e6c8d-2e4f-4a80-8f0a-0d5a1c3e2b7f"},
		},
		"nothing": {nil, nil, map[string]string{}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plane := serve(t, httptest.NewServer, noListeners)
			environment := settings{"AGENTPLANE_BASE_URL": plane.URL}
			maps.Copy(environment, test.environment)
			p := start(t, environment)
			if diags := append(p.configure(test.block), p.use()...); len(diags) > 0 {
				t.Fatal(text(diags))
			}
			got := map[string]string{}
			for _, header := range []string{"X-Api-Key", "Authorization", "X-Tenant-Id"} {
				if value := plane.requests()[0].Header.Get(header); value != "" {
					got[header] = value
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestConfigure_baseURL(t *testing.T) {
	t.Parallel()
	plane := serve(t, httptest.NewServer, noListeners)
	p := start(t, settings{"AGENTPLANE_BASE_URL": plane.URL + "/variable"})
	for _, block := range []settings{{"base_url": plane.URL + "/api-host/"}, nil} {
		if diags := append(p.configure(block), p.use()...); len(diags) > 0 {
			t.Fatal(text(diags))
		}
	}
	var got []string
	for _, request := range plane.requests() {
		got = append(got, request.URL.Path)
	}
	if diff := cmp.Diff([]string{"/api-host/v2/listeners", "/variable/v2/listeners"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestConfigure_userAgent(t *testing.T) {
	t.Parallel()
	plane := serve(t, httptest.NewServer, noListeners)
	p := start(t, settings{"AGENTPLANE_BASE_URL": plane.URL})
	if diags := append(p.configure(nil), p.use()...); len(diags) > 0 {
		t.Fatal(text(diags))
	}
	if got := plane.requests()[0].Header.Get("User-Agent"); got != "terraform-provider-agentplane/1.2.3" {
		t.Errorf("User-Agent = %q, want terraform-provider-agentplane/1.2.3", got)
	}
}

// TestConfigure_maxRetries counts the requests to a service that is down.
func TestConfigure_maxRetries(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		block, environment settings
		want               int
	}{
		"max_retries":            {settings{"max_retries": 2}, settings{"AGENTPLANE_MAX_RETRIES": "6"}, 3},
		"turned off":             {settings{"max_retries": 0}, settings{"AGENTPLANE_MAX_RETRIES": "6"}, 1},
		"AGENTPLANE_MAX_RETRIES": {nil, settings{"AGENTPLANE_MAX_RETRIES": "6"}, 7},
		"turned off by variable": {nil, settings{"AGENTPLANE_MAX_RETRIES": "0"}, 1},
		"default":                {nil, nil, 5},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plane := serve(t, httptest.NewServer, func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(http.StatusServiceUnavailable)
			})
			environment := settings{"AGENTPLANE_BASE_URL": plane.URL}
			maps.Copy(environment, test.environment)
			p := start(t, environment)
			if diags := p.configure(test.block); len(diags) > 0 {
				t.Fatal(text(diags))
			}
			if diags := text(p.use()); !strings.Contains(diags, "Status: 503") {
				t.Errorf("diagnostics = %s, want status 503", diags)
			}
			if got := len(plane.requests()); got != test.want {
				t.Errorf("%d requests were sent, want %d", got, test.want)
			}
		})
	}
}

// TestConfigure_requestTimeout connects to a service that never responds.
func TestConfigure_requestTimeout(t *testing.T) {
	t.Parallel()
	plane := serve(t, httptest.NewServer, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	p := start(t, settings{
		"AGENTPLANE_BASE_URL": plane.URL, "AGENTPLANE_MAX_RETRIES": "0", "AGENTPLANE_REQUEST_TIMEOUT": "2ms",
	})
	for want, block := range map[string]settings{"(3ms)": {"request_timeout": "3ms"}, "(2ms)": nil} {
		if diags := p.configure(block); len(diags) > 0 {
			t.Fatal(text(diags))
		}
		if diags := text(p.use()); !strings.Contains(diags, "nothing within request_timeout "+want) {
			t.Errorf("diagnostics = %[2]s, want the limit %[1]s", want, diags)
		}
	}
}

// TestConfigure_caCertificate connects to a service whose certificate isn't signed by a public authority.
func TestConfigure_caCertificate(t *testing.T) {
	t.Parallel()
	plane := serve(t, newTLSServer, noListeners)
	file := filepath.Join(t.TempDir(), "ca.pem")
	writeCertificate(t, file, plane.Certificate())
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		block, environment settings
		want               string
	}{
		"ca_certificate_file": {
			settings{"ca_certificate_file": file}, settings{"AGENTPLANE_CA_CERTIFICATE_FILE": "no-such-file"}, "",
		},
		"AGENTPLANE_CA_CERTIFICATE_FILE": {nil, settings{"AGENTPLANE_CA_CERTIFICATE_FILE": file}, ""},
		"ca_certificate":                 {settings{"ca_certificate": string(content)}, settings{"AGENTPLANE_CA_CERTIFICATE_FILE": "no-such-file"}, ""},
		"AGENTPLANE_CA_CERTIFICATE":      {nil, settings{"AGENTPLANE_CA_CERTIFICATE": string(content)}, ""},
		"none":                           {nil, nil, "set ca_certificate_file to the certificate of the authority that signed it"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			environment := settings{"AGENTPLANE_BASE_URL": plane.URL}
			maps.Copy(environment, test.environment)
			p := start(t, environment)
			diags := text(append(p.configure(test.block), p.use()...))
			if (diags == "") != (test.want == "") || !strings.Contains(diags, test.want) {
				t.Errorf("diagnostics = %s, want %q", diags, test.want)
			}
		})
	}
}

// newTLSServer starts a server that doesn't log failed handshakes, which these tests expect.
func newTLSServer(handler http.Handler) *httptest.Server {
	server := httptest.NewUnstartedServer(handler)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	return server
}

func writeCertificate(t *testing.T, file string, certificate *x509.Certificate) {
	t.Helper()
	encoded := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Raw})
	if err := os.WriteFile(file, encoded, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestConfigure_unknown configures the provider with unknown values: there must be no error
// until the service is needed.
func TestConfigure_unknown(t *testing.T) {
	t.Parallel()
	for _, attribute := range start(t, nil).schema.Provider.Block.Attributes {
		t.Run(attribute.Name, func(t *testing.T) {
			t.Parallel()
			p := start(t, nil)
			if diags := p.configure(settings{attribute.Name: unknown}); len(diags) > 0 {
				t.Error(text(diags))
			}
			if diags := text(p.use()); !strings.Contains(diags, "Provider configuration not known yet") {
				t.Errorf("diagnostics = %s, want that the configuration isn't known yet", diags)
			}
		})
	}
}

// TestConfigure_refused expects an error at the attribute of each mistake, with attribute and variable in the text, and no request.
func TestConfigure_refused(t *testing.T) {
	t.Parallel()
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, []byte("no certificate\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const elsewhere = "https://agents.example.com"
	tests := map[string]struct {
		block, environment settings
		at                 string
		want               []string
	}{
		"no base_url": {
			nil, settings{"AGENTPLANE_API_KEY": "key"}, "base_url", []string{"Missing base_url", "AGENTPLANE_BASE_URL"},
		},
		"empty base_url": {settings{"base_url": ""}, nil, "base_url", []string{"must be at least 1"}},
		"base_url without scheme": {
			settings{"base_url": "agents.example.com", "api_key": "key"}, nil, "base_url",
			[]string{"Invalid base_url", `"agents.example.com"`, "AGENTPLANE_BASE_URL"},
		},
		"base_url with a query": {
			nil, settings{"AGENTPLANE_BASE_URL": elsewhere + "?a=b", "AGENTPLANE_API_KEY": "key"}, "base_url",
			[]string{"Invalid base_url", "query", "AGENTPLANE_BASE_URL"},
		},
		"no credential": {
			settings{"base_url": elsewhere}, nil, "api_key",
			[]string{"Missing api_key", "AGENTPLANE_API_KEY", "bearer_token", "AGENTPLANE_BEARER_TOKEN"},
		},
		"two credentials": {
			settings{"base_url": elsewhere, "api_key": "key", "bearer_token": "token"}, nil, "bearer_token",
			[]string{"Two credentials", "api_key (AGENTPLANE_API_KEY)", "bearer_token (AGENTPLANE_BEARER_TOKEN)"},
		},
		"two credentials by variable": {
			settings{"base_url": elsewhere}, settings{"AGENTPLANE_API_KEY": "key", "AGENTPLANE_BEARER_TOKEN": "token"},
			"bearer_token", []string{"Two credentials"},
		},
		"api_key with a line break": {
			settings{"base_url": elsewhere, "api_key": "key\n"}, nil, "api_key",
			[]string{"Invalid api_key", "api_key (AGENTPLANE_API_KEY)", "line break"},
		},
		"bearer_token with a line break": {
			settings{"base_url": elsewhere}, settings{"AGENTPLANE_BEARER_TOKEN": "token\r\n"}, "bearer_token",
			[]string{"Invalid bearer_token", "AGENTPLANE_BEARER_TOKEN"},
		},
		"workspace_id with a space": {
			settings{"base_url": elsewhere, "api_key": "key", "workspace_id": "my workspace"}, nil, "workspace_id",
			[]string{"Invalid workspace_id", "AGENTPLANE_WORKSPACE_ID"},
		},
		"region": {
			settings{"base_url": elsewhere, "api_key": "key", "region": "eu"}, nil, "region",
			[]string{"Region without hosts", `"eu"`, "base_url (AGENTPLANE_BASE_URL)", `dialect "neutral"`, "AGENTPLANE_DIALECT"},
		},
		"region by variable": {
			settings{"base_url": elsewhere, "api_key": "key"}, settings{"AGENTPLANE_REGION": "us"}, "region",
			[]string{"AGENTPLANE_REGION", `"us"`},
		},
		"profile": {
			settings{"base_url": elsewhere, "api_key": "key", "profile": "dev"}, nil, "profile",
			[]string{`Not supported by dialect "neutral"`, "AGENTPLANE_DIALECT"},
		},
		"region and base_url": {
			settings{"dialect": "langsmith", "base_url": elsewhere, "api_key": "key", "region": "eu"}, nil, "region",
			[]string{"Two addresses", `region (AGENTPLANE_REGION), "eu"`, "base_url (AGENTPLANE_BASE_URL)"},
		},
		"region and base_url by variable": {
			settings{"dialect": "langsmith", "api_key": "key"},
			settings{"AGENTPLANE_REGION": "eu", "AGENTPLANE_BASE_URL": elsewhere}, "region", []string{"Two addresses"},
		},
		"unknown region": {
			settings{"dialect": "langsmith", "api_key": "key", "region": "mars"}, nil, "region",
			[]string{"Invalid region", `"mars"`, "apac, aws-us, eu, us", "AGENTPLANE_REGION"},
		},
		"unknown dialect": {
			settings{"dialect": "klingon", "base_url": elsewhere, "api_key": "key"}, nil, "dialect",
			[]string{"klingon", `"neutral"`, `"langsmith"`},
		},
		"unknown dialect by variable": {
			settings{"base_url": elsewhere, "api_key": "key"}, settings{"AGENTPLANE_DIALECT": "klingon"}, "dialect",
			[]string{"Invalid dialect", `"klingon"`, "neutral, langsmith", "AGENTPLANE_DIALECT"},
		},
		"base_url of the tracing API": {
			settings{"dialect": "langsmith", "base_url": "https://eu.api.smith.langchain.com", "api_key": "key"}, nil, "base_url",
			[]string{"Invalid base_url", "https://eu.api.smith.langchain.com", "https://eu.api.host.langchain.com"},
		},
		"tracing_url without scheme": {
			settings{"base_url": elsewhere, "api_key": "key", "tracing_url": "traces.example.com"}, nil, "tracing_url",
			[]string{"Invalid tracing_url", `"traces.example.com"`, "AGENTPLANE_TRACING_URL"},
		},
		"LANGSMITH_ENDPOINT without scheme": {
			settings{"dialect": "langsmith", "api_key": "key"}, settings{"LANGSMITH_ENDPOINT": "agents.example.com"}, "base_url",
			[]string{"Invalid base_url", `LANGSMITH_ENDPOINT "agents.example.com" is not`, "AGENTPLANE_REGION"},
		},
		"request_timeout that is no duration": {
			settings{"base_url": elsewhere, "api_key": "key", "request_timeout": "soon"}, nil, "request_timeout", []string{"soon"},
		},
		"request_timeout by variable": {
			settings{"base_url": elsewhere, "api_key": "key"}, settings{"AGENTPLANE_REQUEST_TIMEOUT": "30"}, "request_timeout",
			[]string{`request_timeout is "30"`, "AGENTPLANE_REQUEST_TIMEOUT"},
		},
		"request_timeout of nothing": {
			settings{"base_url": elsewhere, "api_key": "key", "request_timeout": "0s"}, nil, "request_timeout",
			[]string{`request_timeout is "0s"`, "positive"},
		},
		"max_retries out of range": {
			settings{"base_url": elsewhere, "api_key": "key", "max_retries": 21}, nil, "max_retries", []string{"21"},
		},
		"max_retries of a fraction": {
			settings{"base_url": elsewhere, "api_key": "key", "max_retries": 1.5}, nil, "max_retries",
			[]string{"max_retries is 1.5", "whole number from 0 to 20"},
		},
		"workspace_id that is no UUID": {
			settings{"base_url": elsewhere, "api_key": "key", "workspace_id": "nope"}, nil, "workspace_id", []string{`"nope" must be a UUID`},
		},
		"workspace_id by variable": {
			settings{"base_url": elsewhere, "api_key": "key"}, settings{"AGENTPLANE_WORKSPACE_ID": "nope"}, "workspace_id",
			[]string{`workspace_id is "nope"`, "AGENTPLANE_WORKSPACE_ID"},
		},
		"workspace_id by variable of the product": {
			settings{"dialect": "langsmith", "base_url": elsewhere, "api_key": "key"}, settings{"LANGSMITH_TENANT_ID": "nope"}, "workspace_id",
			[]string{`workspace_id is "nope"`, "LANGSMITH_TENANT_ID"},
		},
		"max_retries by variable": {
			settings{"base_url": elsewhere, "api_key": "key"}, settings{"AGENTPLANE_MAX_RETRIES": "-1"}, "max_retries",
			[]string{`max_retries is "-1"`, "from 0 to 20", "AGENTPLANE_MAX_RETRIES"},
		},
		"ca_certificate_file that isn't there": {
			settings{"base_url": elsewhere, "api_key": "key", "ca_certificate_file": "no-such-file.pem"}, nil,
			"ca_certificate_file", []string{"no-such-file.pem", "AGENTPLANE_CA_CERTIFICATE_FILE"},
		},
		"ca_certificate with a path": {
			settings{"base_url": elsewhere, "api_key": "key", "ca_certificate": empty}, nil,
			"ca_certificate", []string{"ca_certificate contains no PEM certificate", "-----BEGIN CERTIFICATE-----"},
		},
		"ca_certificate twice": {
			nil, settings{"AGENTPLANE_BASE_URL": elsewhere, "AGENTPLANE_API_KEY": "key", "AGENTPLANE_CA_CERTIFICATE": "a", "AGENTPLANE_CA_CERTIFICATE_FILE": empty},
			"ca_certificate", []string{"Both ca_certificate (AGENTPLANE_CA_CERTIFICATE) and ca_certificate_file (AGENTPLANE_CA_CERTIFICATE_FILE) are set"},
		},
		"ca_certificate_file without a certificate": {
			settings{"base_url": elsewhere, "api_key": "key"}, settings{"AGENTPLANE_CA_CERTIFICATE_FILE": empty},
			"ca_certificate_file", []string{empty, "-----BEGIN CERTIFICATE-----"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			diags := start(t, test.environment).configure(test.block)
			if len(diags) != 1 || diags[0].Severity != tfprotov6.DiagnosticSeverityError {
				t.Fatalf("diagnostics = %s, want one error", text(diags))
			}
			if got := diags[0].Attribute.String(); got != `AttributeName("`+test.at+`")` {
				t.Errorf("path of the error = %s, want %s", got, test.at)
			}
			for _, want := range test.want {
				if !strings.Contains(text(diags), want) {
					t.Errorf("diagnostics = %[2]s, want %[1]q in them", want, text(diags))
				}
			}
		})
	}
}

// TestConfigure_plainHTTP expects a warning only if a credential would leave this machine in clear text.
func TestConfigure_plainHTTP(t *testing.T) {
	t.Parallel()
	for baseURL, warned := range map[string]bool{
		"http://agents.example.com":     true,
		"HTTP://agents.example.com/api": true,
		"http://localhost.example.com":  true,
		"http://192.0.2.1:8124":         true,
		"https://agents.example.com":    false,
		"http://localhost:8124":         false,
		"http://127.0.0.1:8124":         false,
		"http://127.8.8.8":              false,
		"http://[::1]:8124":             false,
	} {
		t.Run(baseURL, func(t *testing.T) {
			t.Parallel()
			diags := start(t, nil).configure(settings{"base_url": baseURL, "api_key": "key"})
			if !warned {
				if len(diags) > 0 {
					t.Error(text(diags))
				}
				return
			}
			if len(diags) != 1 || diags[0].Severity != tfprotov6.DiagnosticSeverityWarning || diags[0].Summary != "Credential sent in clear text" {
				t.Errorf("diagnostics = %s, want one warning about clear text", text(diags))
			}
		})
	}
}

// TestConfigure_plainTracing expects the same warning for the other URL to which the credential is sent.
func TestConfigure_plainTracing(t *testing.T) {
	t.Parallel()
	for tracingURL, warned := range map[string]bool{
		"http://traces.example.com":  true,
		"https://traces.example.com": false,
		"http://localhost:8125":      false,
	} {
		t.Run(tracingURL, func(t *testing.T) {
			t.Parallel()
			diags := text(start(t, nil).configure(settings{
				"base_url": "https://agents.example.com", "api_key": "key", "tracing_url": tracingURL,
			}))
			if strings.Contains(diags, `WARNING AttributeName("tracing_url") Credential sent in clear`) != warned || !warned && diags != "" {
				t.Errorf("diagnostics = %[2]q, want a warning: %[1]t", warned, diags)
			}
		})
	}
}

// TestConfigure_secrecy makes every mistake that involves a secret, and checks that no diagnostic contains it.
func TestConfigure_secrecy(t *testing.T) {
	t.Parallel()
	const secret = "hunter2-canary"
	for name, block := range map[string]settings{
		"userinfo":                    {"base_url": "https://admin:" + secret + "@agents.example.com", "api_key": "key"},
		"userinfo over plain http":    {"base_url": "http://admin:" + secret + "@agents.example.com", "api_key": "key"},
		"userinfo without credential": {"base_url": "http://admin:" + secret + "@agents.example.com"},
		"userinfo and a bad port":     {"base_url": "http://admin:" + secret + "@agents.example.com:port", "api_key": "key"},
		"userinfo and a bad escape":   {"base_url": "http://admin:" + secret + "@agents.example.com/%zz", "api_key": "key"},
		"two credentials":             {"base_url": "https://agents.example.com", "api_key": secret, "bearer_token": secret},
		"userinfo of tracing_url":     {"base_url": "https://agents.example.com", "api_key": "key", "tracing_url": "http://a:" + secret + "@t.example.com"},
		"key with a line break":       {"base_url": "https://agents.example.com", "api_key": secret + "\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			diags := text(start(t, nil).configure(block))
			if !strings.Contains(diags, "ERROR") {
				t.Errorf("diagnostics = %q, want an error", diags)
			}
			if strings.Contains(diags, secret) {
				t.Errorf("the diagnostics contain the secret: %s", diags)
			}
		})
	}
}
