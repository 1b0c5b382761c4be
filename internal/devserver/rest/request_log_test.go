package rest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
)

func TestRedact(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ body, want string }{
		"no body":        {``, ``},
		"no JSON":        {`{"secrets":[{"name":"A","value":"hush"`, ``},
		"no object":      {`["hush"]`, ``},
		"too large":      {`{"name":"` + strings.Repeat("x", limits.LoggedBody) + `"}`, ``},
		"nothing secret": {`{"name":"<a>","n":1.50}`, `{"n":1.50,"name":"<a>"}`},
		"null":           {`{"secrets":null}`, `{"secrets":null}`},
		"environment of a container": {
			`{"source_config":{"resource_spec":{"cpu":1,"sidecars":[{"name":"a","env":[{"name":"A","value":"hush"},{"name":"B","valueFrom":{"secretKeyRef":{"name":"keys"}}}]}],"init_containers":[{"env":[]},{"Env":{"A":"hush"}}],"volumes":[{"secret":{"secretName":"keys"}}]}}}`,
			`{"source_config":{"resource_spec":{"cpu":1,"init_containers":[{"env":[]},{"Env":"***"}],"sidecars":[{"env":[{"name":"A","value":"***"},{"name":"B","valueFrom":{"secretKeyRef":{"name":"keys"}}}],"name":"a"}],"volumes":[{"secret":{"secretName":"keys"}}]}}}`,
		},
		"values": {
			`{"secrets":[{"name":"A","value":"hush"},{"value":"hush"}]}`,
			`{"secrets":[{"name":"A","value":"***"},{"value":"***"}]}`,
		},
		"client secret": {`{"client_id":"a","client_secret":"hush"}`, `{"client_id":"a","client_secret":"***"}`},
		"references": {
			`{"secret_references":[{"name":"A","secret_name":"keys","secret_key":"a","value":"hush"},"hush"]}`,
			`{"secret_references":[{"name":"A","secret_key":"a","secret_name":"keys","value":"***"},"***"]}`,
		},
		"misspelt references": {`{"secretReferences":[{"value":"hush"}]}`, `{"secretReferences":"***"}`},
		"no client secret":    {`{"client_secret":null}`, `{"client_secret":null}`},
		"misspelt secret":     {`{"clientSecret":["hush"]}`, `{"clientSecret":"***"}`},
		"misspelt":            {`{"Secrets":[{"name":"A","Value":"hush"}]}`, `{"Secrets":[{"Value":"***","name":"A"}]}`},
		"a map instead":       {`{"secrets":{"A":"hush"}}`, `{"secrets":"***"}`},
		"tokens":              {`{"access_token":"hush","refreshToken":"hush","token_id":"a"}`, `{"access_token":"***","refreshToken":"***","token_id":"a"}`},
		"share of a run":      {`{"run_id":"a","share_token":"hush"}`, `{"run_id":"a","share_token":"***"}`},
		"end of a login":      {`{"code":"hush","state":"hush","code_challenge_method":"S256"}`, `{"code":"***","code_challenge_method":"S256","state":"***"}`},
		"values of no name":   {`{"secrets":["hush",["hush"]]}`, `{"secrets":["***","***"]}`},
	} {
		got := strings.TrimSuffix(string(redact([]byte(tc.body), false)), "\n")
		assert.Same(t, name, tc.want, got)
	}
	traced := `{"inputs":{"code":"1","env":"a","state":{"token":"b"}},"share_token":"hush"}`
	want := strings.Replace(traced, "hush", "***", 1) + "\n"
	assert.Same(t, "traced data", want, string(redact([]byte(traced), true)))
}

// TestRedactAnswer checks that secrets are redacted at any depth, as in a list of deployments.
func TestRedactAnswer(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"resources":[{"id":"a","secrets":[{"name":"A","value":"hush"}]}]}`: `{"resources":[{"id":"a","secrets":[{"name":"A","value":"***"}]}]}`,
		`[{"oauth":{"client_secret":"hush","access_token":"hush"}}]`:         `[{"oauth":{"access_token":"***","client_secret":"***"}}]`,
		`{"detail":"no"}`: `{"detail":"no"}`,
		`hush`:            ``,
		`{"detail":"` + strings.Repeat("x", limits.LoggedBody) + `"}`: ``,
	} {
		assert.Same(t, fmt.Sprintf("redactJSON(%.60s)", body), want, strings.TrimSpace(string(redactJSON([]byte(body), true))))
	}
}

func TestRedactQuery(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"":                             "",
		"limit=2&offset=+1":            "limit=2&offset=+1",
		"state=hush&code=hush&limit=2": "code=%2A%2A%2A&limit=2&state=%2A%2A%2A",
		"Code=hush":                    "Code=%2A%2A%2A",
		"%zz&code=hush":                "",
	} {
		assert.Same(t, fmt.Sprintf("redactQuery(%q)", raw), want, redactQuery(raw))
	}
}

func TestRedactedPath(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/runs/public":                            "/runs/public",
		"/public/hush/run":                        "/public/***/run",
		"/public/hush/runsshare_token=hush&id=a":  "/public/***/runsshare_token=***&id=a",
		"/api/v2/public/hush/run":                 "/api/v2/public/***/run", // There is no such path.
		"/public/hush/r/":                         "/public/***/r/",
		"/api-host/install-links/hush":            "/api-host/install-links/***",
		"/api/v1/attachments/hush":                "/api/v1/attachments/***",
		"/feedback/tokens":                        "/feedback/tokens",
		"/feedback/tokens/hush":                   "/feedback/tokens/***",
		"/api-host/api/v1/feedback/tokens/hush/x": "/api-host/api/v1/feedback/tokens/***/x",
	} {
		assert.Same(t, fmt.Sprintf("RedactedPath(%q)", path), want, RedactedPath(path))
	}
}

// TestLoggedLinesAreCut expects long paths and queries to be cut, after secrets were replaced.
func TestLoggedLinesAreCut(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", limits.LoggedLine)
	for what, got := range map[string]string{
		"path": RedactedPath("/public/hush/" + long), "query": redactQuery("name=" + long), "redacted query": redactQuery("code=hush&name=" + long),
		"query with a long secret": redactQuery("a=b&state=" + long + "hush"),
	} {
		if len(got) > limits.LoggedLine || strings.Contains(got, "hush") {
			t.Errorf("%s = %s, want at most %d bytes without the secret", what, got, limits.LoggedLine)
		}
	}
	if got, want := redactQuery("a=b&state="+long), "a=b&state=%2A%2A%2A"; got != want {
		t.Errorf("query with a long secret = %s, want %s", got, want)
	}
}

func TestRequestsAreBounded(t *testing.T) {
	t.Parallel()
	var q RequestLog
	for i := range limits.LoggedRequests + 1 {
		assert.Must(t, q.add(t.Context(), Request{ID: fmt.Sprint(i), WorkspaceID: "w"}))
	}
	seen, err := q.Of(nil, "w")
	assert.Must(t, err)
	if len(seen) > limits.LoggedRequests {
		t.Errorf("%d requests are kept, want at most %d", len(seen), limits.LoggedRequests)
	}
	if last := seen[len(seen)-1].ID; last != fmt.Sprint(limits.LoggedRequests) {
		t.Errorf("ID of the newest request = %s, want %d", last, limits.LoggedRequests)
	}
	if seen[0].ID == "0" {
		t.Error("the oldest request is still kept")
	}
}
