package providertest_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

const (
	oneID        = "11111111-1111-4111-8111-111111111111"
	oneURL       = "/v2/deployments/" + oneID
	created      = `"name":"chat","source_config":{},"source_revision_config":{},"secrets":[]`
	oneTimestamp = "2026-01-02T03:04:05.678901Z"
)

func langSmith(t *testing.T) *providertest.Contract {
	t.Helper()
	contract, err := providertest.LangSmithContract()
	if err != nil {
		t.Fatal(err)
	}
	return contract
}

// request is one of the provider's, unless headers say otherwise.
func request(t *testing.T, method, target, body string) *http.Request {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, target, strings.NewReader(body))
	r.Header.Set("X-Api-Key", "key")
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	return r
}

func TestContract_request(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		method, target, body string
		want                 []string
	}{
		"fine":              {"POST", "/v2/deployments", `{` + created + `,"source":"github"}`, nil},
		"behind a prefix":   {"GET", "/api-host" + oneURL, "", nil},
		"a page":            {"GET", "/v2/deployments?limit=100&offset=0&name_contains=chat", "", nil},
		"a free-form field": {"POST", "/v2/deployments", spec(`{"volumes":[{"name":"v","csi":{"driver":"d","volumeAttributes":{"a":"b"}}}]}`), nil},

		"undocumented path": {"GET", "/v2/deployment", "", []string{
			"GET /v2/deployment is not documented",
		}},
		"undocumented parameter": {"GET", "/v2/listeners?sort=name", "", []string{
			`query parameter sort is not documented: there are ["limit" "offset"]`,
		}},
		"parameter out of range": {"GET", "/v2/deployments?limit=101", "", []string{"query parameter limit: maximum: got 101, want 100"}},
		"wrong enum": {"POST", "/v2/deployments", `{` + created + `,"source":"git_host"}`, []string{
			"body/source: value must be one of 'github', 'external_docker', 'internal_docker', 'internal_source', 'internal_template'",
		}},
		"wrong type inside anyOf": {"POST", "/v2/deployments", spec(`{"cpu":"2"}`), []string{
			"body/source_config/resource_spec/cpu: got string, want null",
			"body/source_config/resource_spec/cpu: got string, want number",
			"body/source_config/resource_spec: got object, want null",
		}},
		"undocumented field inside anyOf": {"POST", "/v2/deployments", spec(`{"cache_memory_mb":512}`), []string{
			"body/source_config/resource_spec: additional properties 'cache_memory_mb' not allowed",
			"body/source_config/resource_spec: got object, want null",
		}},
		"body left out": {"PATCH", oneURL, "", []string{
			`content type "" is not documented: there are ["application/json"]`,
		}},
		"body where none belongs": {"DELETE", oneURL, "{}", []string{"there is a body of 2 bytes, but none is documented"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := langSmith(t).Request(request(t, test.method, test.target, test.body), []byte(test.body))
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	t.Run("no key", func(t *testing.T) {
		t.Parallel()
		r := request(t, "GET", oneURL, "")
		r.Header.Del("X-Api-Key")
		if got := langSmith(t).Request(r, nil); len(got) == 0 {
			t.Error("a request without a key is fine")
		}
	})
}

// spec is a create with a resource_spec.
func spec(text string) string {
	return `{"name":"chat","source":"external_docker","source_config":{"resource_spec":` + text +
		`},"source_revision_config":{"image_uri":"i"},"secrets":[]}`
}

func TestContract_response(t *testing.T) {
	t.Parallel()
	const revision = `{"id":"` + oneID + `","created_at":"` + oneTimestamp + `","updated_at":"` + oneTimestamp +
		`","source":"github","source_revision_config":{},"status":"DEPLOYED"`
	const asJSON = "application/json"
	const revisionURL = oneURL + "/revisions/" + oneID
	tests := map[string]struct {
		method, target string
		status         int
		contentType    string
		body           string
		want           []string
	}{
		"fine":                        {"GET", revisionURL, 200, asJSON, revision + `}`, nil},
		"no body":                     {"DELETE", oneURL, 204, "", "", nil},
		"an error":                    {"GET", revisionURL, 404, asJSON, `{"detail":"Not found."}`, nil},
		"an error nobody published":   {"GET", "/v2/auth/providers/calendar", 404, asJSON, `{"detail":"Not found."}`, nil},
		"of an undocumented field in": {"GET", oneURL + "/revisions", 200, asJSON, `{"resources":[` + revision + `,"a":1}],"offset":0}`, []string{"body/resources/0: additional properties 'a' not allowed"}},
		"of a wrong enum": {"GET", revisionURL, 200, asJSON, strings.Replace(revision, "DEPLOYED", "DONE", 1) + `}`, []string{
			"body/status: value must be one of 'CREATING', 'QUEUED', 'AWAITING_BUILD', 'BUILDING', 'AWAITING_DEPLOY', 'DEPLOYING', 'CREATE_FAILED', 'BUILD_FAILED', 'DEPLOY_FAILED', 'DEPLOYED', 'SKIPPED', 'INTERRUPTED', 'UNKNOWN'",
		}},
		"of a status": {"GET", revisionURL, 418, asJSON, `{"detail":"No."}`, []string{
			"status 418 is not documented",
		}},
		"of a content type": {"GET", revisionURL, 200, "text/html", `<html>`, []string{
			`content type "text/html" is not documented: there are ["application/json"]`,
		}},
		"of no body":           {"GET", revisionURL, 200, asJSON, ``, []string{`the body is "", but one is documented for status 200`}},
		"of a body with a 204": {"DELETE", oneURL, 204, asJSON, `{}`, []string{"there is a body of 2 bytes, but none is documented for status 204"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			header := http.Header{}
			if test.contentType != "" {
				header.Set("Content-Type", test.contentType)
			}
			got := langSmith(t).Response(request(t, test.method, test.target, ""), test.status, header, []byte(test.body))
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestNewContract_refuses(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ document, want string }{
		"what is not JSON":    {"openapi: 3.1.0", "the document is not JSON: invalid character 'o' looking for beginning of value"},
		"what is not OpenAPI": {"{}", "the document has no paths"},
		"an exception that the document has caught up with": {
			`{"openapi":"3.1.0","paths":{"/v2/auth/providers/{provider_id}":{"get":{"responses":{"404":{"description":""}}}}}}`,
			"get /v2/auth/providers/{provider_id}: status 404 is in the document now: drop it from the list",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := providertest.NewContract([]byte(test.document))
			if err == nil || err.Error() != test.want {
				t.Errorf("got error %v, want %q", err, test.want)
			}
		})
	}
}

// TestContract_version checks that the document describes the version of the API that the provider was written for.
func TestContract_version(t *testing.T) {
	t.Parallel()
	var document struct{ Info struct{ Version string } }
	content, err := os.ReadFile("testdata/langsmith.openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(content, &document); err != nil {
		t.Fatal(err)
	}
	if document.Info.Version != "0.1.0" {
		t.Errorf("version = %q, want 0.1.0", document.Info.Version)
	}
}
