package api_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

func TestBodyTranslatesWordsOnly(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ neutral, wire string }{
		"create": {
			neutral: `{"name":"git_host","source":"git_host","source_config":{"repo_url":"https://x/git_host"},` +
				`"source_revision_config":{"repo_ref":"graph_config_path","graph_config_path":"graph_config_path"},` +
				`"secrets":[{"name":"git_host","value":"external_container"}]}`,
			wire: `{"name":"git_host","source":"github","source_config":{"repo_url":"https://x/git_host"},` +
				`"source_revision_config":{"repo_ref":"graph_config_path","langgraph_config_path":"graph_config_path"},` +
				`"secrets":[{"name":"git_host","value":"external_container"}]}`,
		},
		"resources": {
			neutral: `{"source_config":{"resource_spec":{"cache_memory_mb":1,"cache_cpu":0.50,"labels":{"cache_memory_mb":"redis_memory_mb"},` +
				`"sidecars":[{"image":"github","env":[{"name":"cache_cpu","value":"redis_cpu"}]}]}}}`,
			wire: `{"source_config":{"resource_spec":{"redis_memory_mb":1,"redis_cpu":0.50,"labels":{"cache_memory_mb":"redis_memory_mb"},` +
				`"sidecars":[{"image":"github","env":[{"name":"cache_cpu","value":"redis_cpu"}]}]}}}`,
		},
		"list": {
			neutral: `{"resources": [ {"source": "external_container"}, {"source":"internal_container"} ], "offset": 2}`,
			wire:    `{"resources": [ {"source": "external_docker"}, {"source":"internal_docker"} ], "offset": 2}`,
		},
		"bare list":    {neutral: `[{"source":"git_host"}]`, wire: `[{"source":"github"}]`},
		"patch":        {neutral: `{"revision_source":"git_host"}`, wire: `{"revision_source":"github"}`},
		"younger word": {neutral: `{"source":"hologram"}`, wire: `{"source":"hologram"}`},
		"no word":      {neutral: `{"source":null,"name":7}`, wire: `{"source":null,"name":7}`},
		"a word that the other side doesn't know": {
			neutral: `{"source":"github","source_revision_config":{"langgraph_config_path":"a"}}`,
			wire:    `{"source":"git_host","source_revision_config":{"graph_config_path":"a"}}`,
		},
		"location of a problem": {
			neutral: `{"detail":[{"loc":["body","source_revision_config","graph_config_path"],"msg":"graph_config_path"},` +
				`{"loc":["body","source_config","resource_spec","cache_memory_mb"]},` +
				`{"loc":["body","source_config","resource_spec","labels","cache_memory_mb"]},` +
				`{"loc":["body","secrets",0,"graph_config_path"]}]}`,
			wire: `{"detail":[{"loc":["body","source_revision_config","langgraph_config_path"],"msg":"graph_config_path"},` +
				`{"loc":["body","source_config","resource_spec","redis_memory_mb"]},` +
				`{"loc":["body","source_config","resource_spec","labels","cache_memory_mb"]},` +
				`{"loc":["body","secrets",0,"graph_config_path"]}]}`,
		},
		"text as detail": {neutral: `{"detail":"git_host"}`, wire: `{"detail":"git_host"}`},
		"text":           {neutral: `"git_host"`, wire: `"git_host"`},
		"page":           {neutral: `<html>git_host</html>`, wire: `<html>git_host</html>`},
		"broken off":     {neutral: `{"source":"git_host"`, wire: `{"source":"git_host"`},
		"nothing":        {neutral: ``, wire: ``},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.wire, string(api.LangSmith.Body([]byte(tc.neutral)))); diff != "" {
				t.Errorf("to the wire (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.neutral, string(api.LangSmith.Body([]byte(tc.wire)))); diff != "" {
				t.Errorf("from the wire (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.neutral, string(api.Neutral.Body([]byte(tc.neutral)))); diff != "" {
				t.Errorf("neutral (-want +got):\n%s", diff)
			}
		})
	}
}

func TestBodyKeepsEscapedWords(t *testing.T) {
	t.Parallel()
	got := api.LangSmith.Body([]byte(`{"so\u0075rce" : "git\u005fhost"}`))
	if diff := cmp.Diff(`{"so\u0075rce" : "github"}`, string(got)); diff != "" {
		t.Error(diff)
	}
}

// TestBodyIsItsOwnInverse generates bodies that contain the translated words everywhere: as names, as values, in user data and in translated fields.
func TestBodyIsItsOwnInverse(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	changed := 0
	for range 20_000 {
		body := madeUp(random, 5)
		there := api.LangSmith.Body([]byte(body))
		if !json.Valid(there) {
			t.Fatalf("%s was translated into invalid JSON: %s", body, there)
		}
		if diff := cmp.Diff(body, string(api.LangSmith.Body(there))); diff != "" {
			t.Fatalf("translated twice (-want +got):\n%s", diff)
		}
		if body != string(there) {
			changed++
		}
	}
	if changed < 300 {
		t.Errorf("translation changed only %d bodies, want at least 300: the generator covers too little", changed)
	}
}

// TestUserDataIsNeverTouched puts every translated word into user data only.
func TestUserDataIsNeverTouched(t *testing.T) {
	t.Parallel()
	for _, word := range bodyWords {
		body := fmt.Sprintf(`{"name":%[1]q,"source_config":{"repo_url":%[1]q,"listener_config":{"k8s_namespace":%[1]q,%[1]q:1},`+
			`"resource_spec":{"labels":{%[1]q:%[1]q},"annotations":{%[1]q:%[1]q},"volumes":[{"name":%[1]q,"csi":{%[1]q:{"source":%[1]q}}}],`+
			`"sidecars":[{"image":%[1]q,"env":[{"name":%[1]q,"value":%[1]q}]}]}},"source_revision_config":{"repo_ref":%[1]q,"image_uri":%[1]q},`+
			`"secrets":[{"name":%[1]q,"value":%[1]q}],"secret_references":[{"name":%[1]q,"secret_name":%[1]q,"secret_key":%[1]q}],`+
			`"display_name":%[1]q,"metadata":{"source":%[1]q,"resource_spec":{%[1]q:1}}}`, word)
		if diff := cmp.Diff(body, string(api.LangSmith.Body([]byte(body)))); diff != "" {
			t.Errorf("%s: user data changed (-want +got):\n%s", word, diff)
		}
	}
}

var bodyWords = []string{
	"git_host", "github", "external_container", "external_docker", "internal_container", "internal_docker",
	"graph_config_path", "langgraph_config_path", "cache_memory_mb", "redis_memory_mb", "cache_cpu_limit", "redis_cpu_limit",
}

func madeUp(random *rand.Rand, depth int) string {
	names := append([]string{"source", "source", "source_config", "resource_spec", "source_revision_config", "resources", "detail",
		"loc", "labels", "name"}, bodyWords...)
	switch kind := random.IntN(9); {
	case depth == 0 || kind < 3:
		return fmt.Sprintf("%q", bodyWords[random.IntN(len(bodyWords))])
	case kind < 4:
		return "-1.50e3"
	case kind < 6:
		items := make([]string, random.IntN(4))
		for i := range items {
			items[i] = madeUp(random, depth-1)
		}
		return "[ " + strings.Join(items, " , ") + "]"
	default:
		members := make([]string, random.IntN(6))
		for i := range members {
			members[i] = fmt.Sprintf("%q : %s", names[random.IntN(len(names))], madeUp(random, depth-1))
		}
		return "{" + strings.Join(members, ", ") + " }"
	}
}

func TestPath(t *testing.T) {
	t.Parallel()
	for neutral, wire := range map[string]string{
		"/v1/integrations/git_host/install":           "/v1/integrations/github/install",
		"/v1/integrations/git_host/abc/repos":         "/v1/integrations/github/abc/repos",
		"/api-host/v1/integrations/git_host/install":  "/api-host/v1/integrations/github/install",
		"/v1/integrations/git_host":                   "/v1/integrations/github",
		"/v1/integrations/forge/git_host/install":     "/v1/integrations/forge/github/install",
		"/v1/integrations/forge/git_host/abc/repos":   "/v1/integrations/forge/github/abc/repos",
		"/v1/integrations/other/git_host/install":     "/v1/integrations/other/git_host/install",
		"/v2/auth/providers/git_host":                 "/v2/auth/providers/git_host",
		"/v1/integrations/git_host/git_host/repos":    "/v1/integrations/github/git_host/repos",
		"/v1/integrations/{integration_id}/git_hosts": "/v1/integrations/{integration_id}/git_hosts",
	} {
		if diff := cmp.Diff(wire, api.LangSmith.Path(neutral)); diff != "" {
			t.Errorf("to the wire (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(neutral, api.LangSmith.Path(wire)); diff != "" {
			t.Errorf("from the wire (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(neutral, api.Neutral.Path(neutral)); diff != "" {
			t.Errorf("neutral (-want +got):\n%s", diff)
		}
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	const text = "'source_revision_config.graph_config_path' is required for source 'git_host'; cache_memory_limit_mb, cache_memory_mb"
	const want = "'source_revision_config.langgraph_config_path' is required for source 'github'; redis_memory_limit_mb, redis_memory_mb"
	if diff := cmp.Diff(want, api.LangSmith.Text(text)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(text, api.Neutral.Text(text)); diff != "" {
		t.Error(diff)
	}
}

func FuzzBody(f *testing.F) {
	f.Add([]byte(`{"source":"git_host","source_revision_config":{"graph_config_path":"x"}}`))
	f.Add([]byte(`{"detail":[{"loc":["body",0,"source_config"]}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		there := api.LangSmith.Body(body)
		if json.Valid(body) != json.Valid(there) {
			t.Fatalf("translating %q into %q changed whether it is valid JSON", body, there)
		}
	})
}
