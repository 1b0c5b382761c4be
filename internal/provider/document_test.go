package provider_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// withoutAttribute has the fields of requests that no attribute sends, with the reasons. The guide for LangSmith lists them.
var withoutAttribute = map[string]string{
	"agent":            "binds a deployment to an environment of an agent, in a public beta; the provider uses `name`",
	"revision_source":  "makes one revision from another source than the deployment's, which no configuration could show",
	"tracked_packages": "recorded by LangSmith's command-line client from what it uploads",
	"tracked_repo_ref": "`repo_ref` changes the tracked ref and deploys it; another ref set elsewhere shows as a change of `repo_ref`",

	"source_config.resource_spec.cache_cpu":             cacheReason,
	"source_config.resource_spec.cache_cpu_limit":       cacheReason,
	"source_config.resource_spec.cache_memory_limit_mb": cacheReason,
	"source_config.resource_spec.core_cpu":              coreReason,
	"source_config.resource_spec.core_cpu_limit":        coreReason,
	"source_config.resource_spec.core_memory_mb":        coreReason,
	"source_config.resource_spec.core_memory_limit_mb":  coreReason,
}

const (
	cacheReason = "chosen by the service, or derived from `cache_memory_mb`"
	coreReason  = "for the process of the core API, and chosen by the service"
)

// otherwise has the attributes that send a field under another name.
var otherwise = map[string]string{
	"secrets.name": "environment", "secrets.value": "environment", // Its keys and its values.
	"secret_references.name": "secret_references", // Its keys.
}

// TestDocument requires an attribute, or a reason in the guide, for each field of the requests that the document has.
func TestDocument(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "providertest", "testdata", "langsmith.openapi.json"))
	if err != nil {
		t.Fatal(err)
	}
	var document map[string]any
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	guide, err := os.ReadFile(filepath.Join("..", "..", "templates", "guides", "langsmith.md"))
	if err != nil {
		t.Fatal(err)
	}
	all := schemas(t)
	plain := strings.NewReplacer("[]", "", "{}", "", "<>", "", "_", "")
	requests, unused := 0, maps.Clone(withoutAttribute)
	for resource, bodies := range map[string][]string{
		"agentplane_deployment": {
			"DeploymentCreateRequest", "DeploymentPatchRequest", "RevisionCreateRequest", "DeploymentTierUpdateRequest",
			"DeploymentResourceTiersUpdateRequest",
		},
		"agentplane_listener": {"ListenerCreateRequest", "ListenerPatchRequest"},
	} {
		has := map[string]bool{}
		for _, a := range attributes("", all["resource "+resource].Block.Attributes) {
			if a.Optional || a.Required || a.NestedType != nil {
				has[strings.ToLower(plain.Replace(strings.TrimSuffix(a.path[1:], "_json")))] = true
			}
		}
		for _, body := range bodies {
			for _, field := range requestFields(document, dig(document, "components", "schemas", body), "") {
				requests++
				attribute, other := otherwise[field]
				if !other {
					attribute = field
				}
				found := has[strings.ToLower(plain.Replace(attribute))]
				parent, _, _ := strings.Cut(field, ".")
				reason, listed := withoutAttribute[field]
				_, inListed := withoutAttribute[parent]
				delete(unused, field)
				switch {
				case found && listed:
					t.Errorf("%s has an attribute now: drop %s from the list", resource, field)
				case listed && !row(field, reason).Match(guide):
					t.Errorf("templates/guides/langsmith.md has no row of %s with the reason %q", field, reason)
				case !found && !listed && !inListed:
					t.Errorf("%s has no attribute for %s of %s, and no reason is listed", resource, field, body)
				}
			}
		}
	}
	if len(unused) > 0 {
		t.Errorf("the document doesn't have %v", slices.Sorted(maps.Keys(unused)))
	}
	if requests < 250 {
		t.Errorf("the document has only %d fields", requests)
	}
	t.Logf("%d fields of requests", requests)
}

// row matches the row of the guide that has a field, in LangSmith's words, perhaps with others, and the reason.
func row(field, reason string) *regexp.Regexp {
	return regexp.MustCompile("(?m)^\\| [^|]*" + regexp.QuoteMeta("`"+strings.Replace(field, ".cache_", ".redis_", 1)+"`") + "[^|]* \\| " + regexp.QuoteMeta(reason) + " \\|$")
}

func dig(from any, steps ...string) any {
	for _, step := range steps {
		object, _ := from.(map[string]any)
		from = object[step]
	}
	return from
}

// requestFields are the paths of the properties of a schema, in neutral words.
func requestFields(document, schema any, at string) []string {
	object, _ := schema.(map[string]any)
	if ref, is := object["$ref"].(string); is {
		return requestFields(document, dig(document, strings.Split(ref[2:], "/")...), at)
	}
	var all []string
	alternatives, _ := object["anyOf"].([]any)
	for _, alternative := range alternatives {
		all = append(all, requestFields(document, alternative, at)...)
	}
	if items := object["items"]; items != nil {
		all = append(all, requestFields(document, items, at)...)
	}
	properties, _ := object["properties"].(map[string]any)
	for name, property := range properties {
		if at == "source_config.resource_spec." {
			name = strings.Replace(name, "redis_", "cache_", 1)
		}
		if name == "langgraph_config_path" {
			name = "graph_config_path"
		}
		all = append(all, at+name)
		all = append(all, requestFields(document, property, at+name+".")...)
	}
	return all
}

// TestDocument_reserved finds the paths of the document that look like that of an OAuth provider.
func TestDocument_reserved(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "providertest", "testdata", "langsmith.openapi.json"))
	if err != nil {
		t.Fatal(err)
	}
	var document struct{ Paths map[string]any }
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	var reserved []string
	for path := range document.Paths {
		if word, ok := strings.CutPrefix(path, "/v2/auth/providers/"); ok && !strings.ContainsAny(word, "{/") {
			reserved = append(reserved, word)
		}
	}
	slices.Sort(reserved)
	if !slices.Equal(reserved, api.ReservedProviderIDs) {
		t.Errorf("the document has the paths %v, but %v are reserved", reserved, api.ReservedProviderIDs)
	}
}
