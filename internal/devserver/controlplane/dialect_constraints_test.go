package controlplane_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// speak translates a request from neutral words into the server's dialect and sends it.
func speak(p *plane, dialect *api.Dialect, method, path string, body any) devservertest.Reply {
	p.T.Helper()
	encoded, err := json.Marshal(body)
	devservertest.Must(p.T, err)
	return p.Do(method, dialect.Path(path), string(dialect.Body(encoded)))
}

// said returns the detail of an error response; empty for success.
func said(r devservertest.Reply) string {
	r.T.Helper()
	if r.Err != nil {
		r.T.Fatal(r.Err)
	}
	if r.Status < 300 {
		return ""
	}
	return devservertest.Into[api.ErrorDetail](r).Detail
}

// both has the texts of the neutral dialect and of the product's.
type both struct{ neutral, product string }

func (b both) in(dialect *api.Dialect) string {
	if dialect == api.Neutral {
		return b.neutral
	}
	return b.product
}

func TestCreateRulesOfDialects(t *testing.T) {
	t.Parallel()
	const required = "Source configuration error: '%' is required for source '"
	missing := func(field, source string) string { return strings.ReplaceAll(required, "%", field) + source + "'." }
	reserved := func(name string) string {
		return "Environment variable '" + name + "' is reserved: the service sets it."
	}
	secret := func(name string) object { return object{"secrets": []any{object{"name": name, "value": "v"}}} }
	explicit := object{"source_config": object{"resource_spec": object{}}}
	push := object{"source_config": object{"build_on_push": true}}
	for name, tc := range map[string]struct {
		repository bool
		change     object
		want       both
	}{
		"image without a spec":   {false, object{}, both{"", missing("source_config.resource_spec", "external_docker")}},
		"image with a spec":      {false, explicit, both{}},
		"repository as short":    {true, object{}, both{"", missing("source_config.build_on_push", "github")}},
		"repository with a push": {true, push, both{}},
		"repository without a type": {
			true,
			object{"source_config": object{"build_on_push": true, "deployment_type": nil}},
			both{"", missing("source_config.deployment_type", "github")},
		},
		"repository without a graph": {
			true,
			devservertest.With(push, object{"source_revision_config": object{"graph_config_path": nil}}),
			both{
				missing("source_revision_config.graph_config_path", "git_host"),
				missing("source_revision_config.langgraph_config_path", "github"),
			},
		},
		"image with a type": {
			false,
			devservertest.With(explicit, object{"source_config": object{"deployment_type": "prod"}}),
			both{
				"Source configuration error: 'source_config.deployment_type' applies to source 'git_host' only, not to 'external_container'.",
				"Source configuration error: 'source_config.deployment_type' applies to source 'github', 'internal_docker', " +
					"'internal_source', 'internal_template' only, not to 'external_docker'.",
			},
		},
		"repository with an image": {
			true,
			devservertest.With(push, object{"source_revision_config": object{"image_uri": "git_host/external_container:1"}}),
			both{
				"Source configuration error: 'source_revision_config.image_uri' applies to source 'external_container' only, not to 'git_host'.",
				"Source configuration error: 'source_revision_config.image_uri' applies to source 'external_docker', " +
					"'internal_docker' only, not to 'github'.",
			},
		},
		// An error quotes the user's text without translating it.
		"data that is a word": {
			true,
			devservertest.With(push, object{"source_config": object{"custom_url": "https://git_host"}}),
			both{
				"Source configuration error: 'source_config.custom_url' is set by the service for source 'git_host': it can't be 'https://git_host'.",
				"Source configuration error: 'source_config.custom_url' is set by the service for source 'github': it can't be 'https://git_host'.",
			},
		},
		"reserved":                      {false, devservertest.With(explicit, secret("DATABASE_URI")), both{"", reserved("DATABASE_URI")}},
		"reserved in the cloud":         {true, devservertest.With(push, secret("POSTGRES_URI_CUSTOM")), both{"", reserved("POSTGRES_URI_CUSTOM")}},
		"not reserved on own hosts":     {false, devservertest.With(explicit, secret("POSTGRES_URI_CUSTOM")), both{}},
		"not reserved in another case":  {false, devservertest.With(explicit, secret("database_uri")), both{}},
		"reserved, filled by reference": {false, devservertest.With(explicit, references("PATH")), both{"", reserved("PATH")}},
		"a name with two sources": {
			false,
			devservertest.With(explicit, secret("A"), references("A")),
			both{"", "'secrets' and 'secret_references' have the name 'A' more than once."},
		},
		"references in the cloud": {
			true,
			devservertest.With(push, references("A")),
			both{"", "'secret_references' applies to source 'external_docker' only, not to 'github'."},
		},
	} {
		for _, dialect := range api.Dialects {
			t.Run(name+"/"+dialect.Name, func(t *testing.T) {
				t.Parallel()
				p := devservertest.New(t, devserver.Config{Dialect: dialect})
				request := devservertest.ImageRequest("chat", tc.change)
				if tc.repository {
					p.WithSeed(devservertest.WorkspaceA)
					request = p.RepoRequest("chat", tc.change)
				}
				got := said(speak(p, dialect, http.MethodPost, "/v2/deployments", request))
				devservertest.Same(t, "refused", tc.want.in(dialect), got)
			})
		}
	}
}

// references set environment variables from Kubernetes secrets.
func references(names ...string) object {
	list := []any{}
	for _, name := range names {
		list = append(list, object{"name": name, "secret_name": "agent", "secret_key": "k"})
	}
	return object{"secret_references": list}
}

// TestPatchRulesOfDialects has what TestPatchMakesARevision and TestProductLife_image don't show.
func TestPatchRulesOfDialects(t *testing.T) {
	t.Parallel()
	type outcome struct {
		Refused  string
		Revision bool // A revision is made.
	}
	for name, tc := range map[string]struct {
		patch            object
		neutral, product outcome
	}{
		"references":          {references("A2"), outcome{}, outcome{Revision: true}},
		"shareable":           {object{"shareable": true}, outcome{}, outcome{}},
		"the same source":     {object{"source": "external_container"}, outcome{}, outcome{}},
		"a reserved variable": {references("PORT"), outcome{}, outcome{Refused: "Environment variable 'PORT' is reserved: the service sets it."}},
		"another source": {
			object{"source": "git_host"},
			outcome{Refused: "'source' can't be changed after creation: it is 'external_container' and the request says 'git_host'. " +
				"Create another deployment instead."},
			outcome{Refused: "'source' can't be changed after creation: it is 'external_docker' and the request says 'github'. " +
				"Create another deployment instead."},
		},
		"another name, which is a word": {
			object{"name": "git_host"},
			outcome{Refused: "'name' can't be changed after creation: it is 'chat' and the request says 'git_host'. " +
				"Create another deployment instead."},
			outcome{Refused: "'name' can't be changed after creation: it is 'chat' and the request says 'git_host'. " +
				"Create another deployment instead."},
		},
	} {
		for dialect, want := range map[*api.Dialect]outcome{api.Neutral: tc.neutral, api.LangSmith: tc.product} {
			t.Run(name+"/"+dialect.Name, func(t *testing.T) {
				t.Parallel()
				p := devservertest.New(t, devserver.Config{Dialect: dialect})
				request := devservertest.ImageRequest("chat", object{
					"source_config": object{"resource_spec": object{}}, "secrets": []any{object{"name": "A", "value": "1"}},
				})
				created := devservertest.Into[object](speak(p, dialect, http.MethodPost, "/v2/deployments", request).Want(http.StatusCreated))
				path := "/v2/deployments/" + created["id"].(string)
				got := outcome{Refused: said(speak(p, dialect, http.MethodPatch, path, tc.patch))}
				got.Revision = devservertest.Get[object](p, path)["latest_revision_id"] != created["latest_revision_id"]
				devservertest.Same(t, "patched", want, got)
			})
		}
	}
}

// TestValidationErrorsOfDialects expects errors for unknown values to list the dialect's values, and locations in its words.
func TestValidationErrorsOfDialects(t *testing.T) {
	t.Parallel()
	const neutral = `{"name":"a","source":"github","source_config":{"deployment_type":"dev_zero","resource_spec":{"cache_memory_mb":"x"}},
		"source_revision_config":{"graph_config_path":1},"secrets":[]}`
	const product = `{"name":"a","source":"git_host","source_config":{"deployment_type":"zero","resource_spec":{"redis_memory_mb":"x"}},
		"source_revision_config":{"langgraph_config_path":1},"secrets":[],"secret_references":[{"name":"A"}],"shareable":"yes"}`
	for dialect, tc := range map[*api.Dialect]struct{ body, source, kind, spec, path string }{
		api.Neutral: {
			neutral, "Input should be 'git_host' or 'external_container'", "Input should be 'dev_free', 'dev' or 'prod'",
			"cache_memory_mb", "graph_config_path",
		},
		api.LangSmith: {
			product, "Input should be 'github', 'external_docker', 'internal_docker', 'internal_source' or 'internal_template'",
			"Input should be 'dev_free', 'dev', 'prod', 'dev_zero' or 'dev_free_zero'", "redis_memory_mb", "langgraph_config_path",
		},
	} {
		t.Run(dialect.Name, func(t *testing.T) {
			t.Parallel()
			p := devservertest.New(t, devserver.Config{Dialect: dialect})
			refused := p.Do(http.MethodPost, "/v2/deployments", tc.body).Want(http.StatusUnprocessableEntity)
			got := map[string]string{}
			for i, problem := range devservertest.Problems(refused) {
				place, _, _ := strings.Cut(problem, " ")
				got[place] = devservertest.Into[api.HTTPValidationError](refused).Detail[i].Msg
			}
			want := map[string]string{
				"source": tc.source, "source_config.deployment_type": tc.kind,
				"source_config.resource_spec." + tc.spec: "Input should be a valid integer",
				"source_revision_config." + tc.path:      "Input should be a valid string",
			}
			if dialect.LangSmithAPI {
				maps.Copy(want, map[string]string{
					"secret_references.0.secret_name": "Field required", "secret_references.0.secret_key": "Field required",
					"shareable": "Input should be a valid boolean",
				})
			}
			devservertest.Same(t, "problems", want, got)
		})
	}
}

func TestDisplayNameMustNotBeEmpty(t *testing.T) {
	t.Parallel()
	p := newProduct(t, devserver.Config{})
	d := p.object(http.MethodPost, "/v2/deployments", docker("chat", object{"display_name": "Too early"}), http.StatusCreated)
	if d["display_name"] != nil {
		t.Errorf("display_name after creating = %v, want null", d["display_name"])
	}
	refused := p.say(http.MethodPatch, "/v2/deployments/"+d["id"].(string), object{"display_name": ""}, http.StatusUnprocessableEntity)
	devservertest.Same(t, "problems", []string{"display_name string_too_short"}, devservertest.Problems(refused))
}

func TestSecretReferenceForm(t *testing.T) {
	t.Parallel()
	p := newProduct(t, devserver.Config{})
	bad := object{"secret_references": []any{
		object{"name": "A", "secret_name": "team.agent-1", "secret_key": "tls.key"},
		object{"name": "A=B", "secret_name": "Agent", "secret_key": ""},
	}}
	want := []string{
		"secret_references.1.name string_pattern_mismatch",
		"secret_references.1.secret_name string_pattern_mismatch",
		"secret_references.1.secret_key string_pattern_mismatch",
	}
	d := p.object(http.MethodPost, "/v2/deployments", docker("chat"), http.StatusCreated)
	for what, r := range map[string]devservertest.Reply{
		"create": p.say(http.MethodPost, "/v2/deployments", docker("other", bad), http.StatusUnprocessableEntity),
		"patch":  p.say(http.MethodPatch, "/v2/deployments/"+d["id"].(string), bad, http.StatusUnprocessableEntity),
	} {
		devservertest.Same(t, fmt.Sprintf("%s: problems", what), want, devservertest.Problems(r))
	}
}

// TestOffsetsOfDialects checks the offset in the last page of a list, which depends on the service.
func TestOffsetsOfDialects(t *testing.T) {
	t.Parallel()
	for dialect, want := range map[*api.Dialect]map[string]int64{
		api.Neutral:   {"limit=2": 2, "limit=2&offset=2": 3, "offset=5": 5},
		api.LangSmith: {"limit=2": 2, "limit=2&offset=2": 0, "offset=5": 0},
	} {
		p := devservertest.New(t, devserver.Config{Dialect: dialect})
		for _, name := range []string{"a", "b", "c"} {
			request := devservertest.ImageRequest(name, object{"source_config": object{"resource_spec": object{}}})
			speak(p, dialect, http.MethodPost, "/v2/deployments", request).Want(http.StatusCreated)
		}
		got := map[string]int64{}
		for query := range want {
			got[query] = devservertest.Get[api.List[json.RawMessage]](p, "/v2/deployments?"+query).Offset
		}
		devservertest.Same(t, fmt.Sprintf("%s: offsets", dialect.Name), want, got)
	}
}

// TestWireWordsOfRecordAndFaults checks that recorded requests, patterns of faults and their responses use the dialect's words.
func TestWireWordsOfRecordAndFaults(t *testing.T) {
	t.Parallel()
	p := newProduct(t, devserver.Config{})
	devservertest.Must(t, p.Arm(devserver.Fault{Match: "GET /v1/integrations/github/install", Status: 403, Detail: "git_host and github"}))
	p.Do(http.MethodGet, "/v1/integrations/github/install", nil).Want(http.StatusForbidden).WantDetail("git_host and github")
	p.say(http.MethodPost, "/v2/deployments", docker("chat"), http.StatusCreated)
	seen := p.Requests()
	paths := []string{}
	for _, r := range seen {
		paths = append(paths, r.Path)
	}
	devservertest.Same(t, "recorded", []string{"/v1/integrations/github/install", "/v2/deployments"}, paths)
	if !seen[0].Fault || seen[1].Fault {
		t.Errorf("requests answered by a fault: %v and %v, want only the first", seen[0].Fault, seen[1].Fault)
	}
	if body := string(seen[1].Body); !strings.Contains(body, "external_docker") {
		t.Errorf("recorded body = %s, want external_docker", body)
	}
}
