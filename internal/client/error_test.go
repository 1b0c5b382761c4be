package client

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

func TestErrorBodies(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 400)
	tests := map[string]struct {
		status  int
		body    string
		headers []string
		want    Error
		text    string // After "GET /v2/deployments/d1: ".
	}{
		"string detail": {
			409, `{"detail":"A deployment named 'x' already exists."}`, []string{"X-Request-Id", "req-1"},
			Error{Detail: "A deployment named 'x' already exists.", RequestID: "req-1"},
			"409 Conflict: A deployment named 'x' already exists. (request id req-1)",
		},
		"validation": {
			422, `{"detail":[{"loc":["body","source_config","resource_spec","sidecars",0,"image"],"msg":"Field required",
				"type":"missing","input":{"name":"s"},"ctx":{"a":1}},{"loc":[],"msg":"odd","type":"x"}]}`, nil,
			Error{Validation: []api.ValidationError{
				{
					Loc: []api.LocStep{
						api.Key("body"), api.Key("source_config"), api.Key("resource_spec"), api.Key("sidecars"),
						api.Index(0), api.Key("image"),
					},
					Msg: "Field required", Type: "missing",
				},
				{Msg: "odd", Type: "x"},
			}},
			"422 Unprocessable Entity: body.source_config.resource_spec.sidecars.0.image: Field required; odd",
		},
		"string detail in a 422": {
			422, `{"detail":"repo_ref is required"}`, nil,
			Error{Detail: "repo_ref is required"}, "422 Unprocessable Entity: repo_ref is required",
		},
		"loc of other scalars": {
			422, `{"detail":[{"loc":["body",true,1.5,null,9007199254740993],"msg":"m","type":"t"}]}`, nil,
			Error{Validation: []api.ValidationError{{
				Loc: []api.LocStep{
					api.Key("body"), api.Key("true"), api.Key("1.5"), api.Key("null"), api.Index(9007199254740993),
				},
				Msg: "m", Type: "t",
			}}},
			"422 Unprocessable Entity: body.true.1.5.null.9007199254740993: m",
		},
		"entries that are no objects": {
			422, `{"detail":["name is bad",{"no":"msg"}]}`, nil,
			Error{Validation: []api.ValidationError{{Msg: `"name is bad"`}, {Msg: `{"no":"msg"}`}}},
			`422 Unprocessable Entity: "name is bad"; {"no":"msg"}`,
		},
		"gateway's message": {
			429, `{"message":"API rate limit exceeded"}`, nil,
			Error{Detail: "API rate limit exceeded", Attempts: 1}, "429 Too Many Requests: API rate limit exceeded",
		},
		"gateway's error": {
			403, `{"error":"RBAC: access denied"}`, nil,
			Error{Detail: "RBAC: access denied"}, "403 Forbidden: RBAC: access denied",
		},
		"detail of another shape": {
			400, `{"detail":{"code":7}}`, nil, Error{Detail: `{"detail":{"code":7}}`}, `400 Bad Request: {"detail":{"code":7}}`,
		},
		"empty": {404, ``, nil, Error{}, "404 Not Found"},
		"plain text": {
			502, "upstream\n\n  connect\terror\x1b[31m", nil,
			Error{Detail: "upstream connect error [31m"}, "502 Bad Gateway: upstream connect error [31m",
		},
		"long text": {400, long, nil, Error{Detail: long[:300] + "…"}, "400 Bad Request: " + long[:300] + "…"},
		"page": {
			404, "<!doctype html><html><head><TITLE lang=en>Not &amp;\n here</TITLE></head><script>steal()</script></html>",
			[]string{"Content-Type", "text/html; charset=utf-8"},
			Error{HTML: true, Misaddressed: true, Detail: "Not & here"},
			"404 Not Found: an HTML page instead of JSON; check base_url and any proxy: Not & here",
		},
		"page without title or type": {
			200, "\n <html></html>", []string{"Content-Type", "application/json"},
			Error{HTML: true, Misaddressed: true}, "200 OK: an HTML page instead of JSON; check base_url and any proxy",
		},
		"unknown status": {599, `{"detail":"?"}`, nil, Error{Detail: "?"}, "599: ?"},
		"wrong JSON": {
			200, `{"id":7}`, nil,
			Error{Detail: "the response is not the expected JSON: id is a number, not a string"},
			"200 OK: the response is not the expected JSON: id is a number, not a string",
		},
		"a fraction": {
			200, `{"id":"d0000001-0000-4000-8000-000000000000","source_config":{"resource_spec":{"max_scale":2.5}}}`, nil,
			Error{Detail: "the response is not the expected JSON: source_config.resource_spec.max_scale is 2.5, not a whole number"},
			"200 OK: the response is not the expected JSON: source_config.resource_spec.max_scale is 2.5, not a whole number",
		},
		"not a deployment": {
			200, `{"ok":true}`, nil, Error{Detail: "the response is not a deployment: it has no id"},
			"200 OK: the response is not a deployment: it has no id",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, _ := serve(t, answerWith(test.status, test.body, test.headers...), func(cfg *Config) { cfg.MaxRetries = -1 })
			_, err := c.Deployments().Get(t.Context(), "d0000001-0000-4000-8000-000000000000")
			got, ok := errors.AsType[*Error](err)
			if !ok {
				t.Fatalf("error = %#v, want an *Error", err)
			}
			want := test.want
			want.Method, want.Path, want.Status = http.MethodGet, "/v2/deployments/d0000001-0000-4000-8000-000000000000", test.status
			if want.Attempts == 0 {
				want.Attempts = 1
			}
			if diff := cmp.Diff(&want, got, cmpopts.IgnoreUnexported(Error{}), cmpopts.IgnoreFields(Error{}, "SuggestedBaseURL")); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff("GET /v2/deployments/d0000001-0000-4000-8000-000000000000: "+test.text, err.Error()); diff != "" {
				t.Errorf("text (-want +got):\n%s", diff)
			}
		})
	}
}

func TestErrorsCarryNoSecrets(t *testing.T) {
	t.Parallel()
	const secret, quoted = "hunter22<&>", "line one\nline \"two\""
	tests := map[string]struct {
		status  int
		body    any
		headers []string
		want    string
	}{
		"detail":       {400, map[string]string{"detail": "bad value " + secret + "!"}, nil, "400 Bad Request: bad value ***!"},
		"key":          {401, map[string]string{"detail": "no key key-of-the-test"}, nil, "401 Unauthorized: no key ***"},
		"longer first": {400, map[string]string{"detail": "hunter22<&>and-more"}, nil, "400 Bad Request: ***"},
		"short value":  {400, map[string]string{"detail": "cannot be on"}, nil, "400 Bad Request: cannot be on"},
		"message": {
			422, map[string]any{"detail": []any{map[string]any{
				"loc": []any{"body", "secrets", 0, secret}, "msg": "bad " + secret, "type": "value_error", "input": secret,
			}}}, nil,
			"422 Unprocessable Entity: body.secrets.0.***: bad ***",
		},
		"raw JSON":   {400, map[string]any{"errors": quoted}, nil, `400 Bad Request: {"errors":"***"}`},
		"plain text": {400, "refused: " + quoted, nil, "400 Bad Request: refused: ***"},
		"page": {
			403, "<title>hunter22&lt;&amp;&gt; blocked</title>", []string{"Content-Type", "text/html"},
			"403 Forbidden: an HTML page instead of JSON; check base_url and any proxy: *** blocked",
		},
		"request id": {400, map[string]string{"detail": "no"}, []string{"X-Request-Id", secret}, "400 Bad Request: no (request id ***)"},
		"encoded request id": {
			400, map[string]string{"detail": "no"}, []string{"X-Request-Id", url.QueryEscape(secret)}, "400 Bad Request: no (request id ***)",
		},
		"redirect": {
			307, "", []string{"Location", "https://value-of-a-sidecar.example.com"},
			"307 Temporary Redirect: redirected to https://***.example.com, which is not followed because it would take the credentials there; " +
				"set base_url to it if that is where the service is",
		},
		"container": {400, map[string]string{"detail": "bad value-of-a-sidecar"}, nil, "400 Bad Request: bad ***"},
	}
	secrets := []api.Secret{
		{Name: "A", Value: secret}, {Name: "B", Value: quoted}, {Name: "C", Value: secret + "and-more"},
		{Name: "D", Value: "on"}, {Name: "E", Value: ""},
	}
	value := "value-of-a-sidecar"
	containers := api.SourceConfigRequest{ResourceSpec: api.Some(api.ResourceSpec{
		Sidecars: []api.Container{{Name: "s", Env: []api.EnvVar{{Name: "A"}, {Name: "B", Value: &value}}}},
	})}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, _ := serve(t, answerWith(test.status, test.body, test.headers...))
			for operation, call := range map[string]func() error{
				"POST /v2/deployments": func() error {
					_, _, err := c.CreateDeployment(t.Context(), api.DeploymentCreateRequest{Name: "chat", Secrets: secrets, SourceConfig: containers})
					return err
				},
				"PATCH /v2/deployments/d0000001-0000-4000-8000-000000000000": func() error {
					_, err := c.PatchDeployment(t.Context(), "d0000001-0000-4000-8000-000000000000", api.DeploymentPatchRequest{Secrets: api.Some(secrets), SourceConfig: api.Some(containers)})
					return err
				},
			} {
				err := call()
				if err == nil {
					t.Fatal("error = nil, want one")
				}
				if diff := cmp.Diff(operation+": "+test.want, err.Error()); diff != "" {
					t.Errorf("text (-want +got):\n%s", diff)
				}
			}
		})
	}
}

func TestPredicates(t *testing.T) {
	t.Parallel()
	post := func(status int) error { return &Error{Method: http.MethodPost, Status: status} }
	get := func(status int) error { return &Error{Method: http.MethodGet, Status: status} }
	type facts struct {
		Status                         int
		NotFound, Transient, Ambiguous bool
		Foreign                        bool
	}
	tests := map[string]struct {
		err  error
		want facts
	}{
		"nil":                {nil, facts{}},
		"foreign":            {errors.New("x"), facts{}},
		"cancelled":          {fmt.Errorf("x: %w", context.Canceled), facts{}},
		"not found":          {fmt.Errorf("x: %w", get(404)), facts{Status: 404, NotFound: true}},
		"page not found":     {&Error{Status: 404, HTML: true}, facts{Status: 404, Foreign: true}},
		"read, 502":          {get(502), facts{Status: 502, Transient: true}},
		"write, 502":         {post(502), facts{Status: 502, Transient: true, Ambiguous: true}},
		"write, 429":         {post(429), facts{Status: 429, Transient: true}},
		"write, lost":        {&TransportError{Method: "PATCH", Err: errBrokenOff}, facts{Transient: true, Ambiguous: true}},
		"write, not sent":    {&TransportError{Method: "PATCH", NotSent: true, Err: errBrokenOff}, facts{Transient: true}},
		"too long an answer": {&TransportError{Method: "GET", Err: errTooLong}, facts{}},
		"unknown outcome":    {&OutcomeUnknownError{Err: post(504)}, facts{Status: 504, Ambiguous: true}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := facts{StatusOf(test.err), IsNotFound(test.err), IsTransient(test.err), IsAmbiguous(test.err), IsForeign(test.err)}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestErrorTexts(t *testing.T) {
	t.Parallel()
	cause := &Error{Method: "POST", Path: "/v2/deployments", Status: 504, Attempts: 1}
	tests := map[string]struct {
		err  error
		want string
	}{
		"attempts": {
			&Error{Method: "GET", Path: "/p", Status: 503, Detail: "busy", Attempts: 4, RequestID: "r"},
			"GET /p: 503 Service Unavailable: busy (after 4 attempts) (request id r)",
		},
		"transport": {
			&TransportError{Method: "GET", Path: "/p", Attempts: 4, Err: errBrokenOff},
			"GET /p: no response: the response broke off (after 4 attempts)",
		},
		"unknown authority": {
			&TransportError{Method: "GET", Path: "/p", Err: fmt.Errorf("tls: %w", x509.UnknownAuthorityError{})},
			"GET /p: no response: tls: x509: certificate signed by unknown authority; " +
				"set ca_certificate_file to the certificate of the authority that signed it",
		},
		"not TLS": {
			&TransportError{Method: "GET", Path: "/p", Err: tls.RecordHeaderError{Msg: "first record does not look like TLS"}},
			"GET /p: no response: tls: first record does not look like TLS; the port does not use TLS: check the scheme of base_url",
		},
		"client certificate": {
			&TransportError{Method: "GET", Path: "/p", Err: &net.OpError{Op: "remote error", Err: errors.New("tls: certificate required")}},
			"GET /p: no response: remote error: tls: certificate required; the service requires a client certificate that it trusts: " +
				"set client_certificate_file and client_key_file",
		},
		"create, nothing found": {
			&OutcomeUnknownError{Name: "chat", Reason: "nothing with that name exists yet", Err: cause},
			`POST /v2/deployments: 504 Gateway Timeout; whether deployment "chat" was created is unknown ` +
				"(nothing with that name exists yet): it may still appear under this name, so apply again in a minute, and if the " +
				"name is then taken, import the deployment that has it",
		},
		"create, something found": {
			&OutcomeUnknownError{Name: "chat", ID: "d0000001-0000-4000-8000-000000000000", Reason: "its source is git_host", Err: cause},
			`POST /v2/deployments: 504 Gateway Timeout; a deployment "chat" exists with the ID d0000001-0000-4000-8000-000000000000, but this request may ` +
				"not have created it (its source is git_host)",
		},
		"create of a listener, nothing found": {
			&OutcomeUnknownError{Name: "east", Reason: "nothing with that compute_id exists yet", Err: cause, kind: listenerKind},
			`POST /v2/deployments: 504 Gateway Timeout; whether listener "east" was created is unknown ` +
				"(nothing with that compute_id exists yet): it may still appear under this compute_id, so apply again in a minute, " +
				"and if the compute_id is then taken, import the listener that has it",
		},
		"create of a provider, something found": {
			&OutcomeUnknownError{Name: "mail", ID: "o1", Reason: "its name differs", Err: cause, kind: oauthProviderKind},
			`POST /v2/deployments: 504 Gateway Timeout; an OAuth provider "mail" exists with the ID o1, but this request may ` +
				"not have created it (its name differs)",
		},
		"redeploy": {
			&OutcomeUnknownError{Method: "POST", ID: "d0000001-0000-4000-8000-000000000000", Err: cause},
			"POST /v2/deployments: 504 Gateway Timeout; whether deployment d0000001-0000-4000-8000-000000000000 got a new revision is unknown: check its " +
				"newest revision before you repeat this",
		},
		"patch of a listener": {
			&OutcomeUnknownError{Method: "PATCH", ID: "1a000001-0000-4000-8000-000000000000", Err: cause, kind: listenerKind},
			"POST /v2/deployments: 504 Gateway Timeout; whether listener 1a000001-0000-4000-8000-000000000000 was changed is unknown: the change may still " +
				"appear, so plan again in a minute and compare",
		},
		"patch": {
			&OutcomeUnknownError{ID: "d0000001-0000-4000-8000-000000000000", Err: cause},
			"POST /v2/deployments: 504 Gateway Timeout; whether deployment d0000001-0000-4000-8000-000000000000 was changed is unknown: the change may still " +
				"appear, so plan again in a minute and compare",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, test.err.Error()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
