package provider_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

var (
	// reference matches a reference to something of the provider in configuration, with the attributes after its label.
	reference = regexp.MustCompile(`\b(data\.|action\.|ephemeral\.)?(agentplane_\w+)\.[a-z]\w*((?:\[[^\]\s]*\])?(?:\.[a-z_]+(?:\[[^\]\s]*\])?)*)`)
	// block matches the beginning of a block of the provider.
	block = regexp.MustCompile(`(?m)^ *(resource|data|action|ephemeral|list) "(agentplane_\w+)"`)
	// called matches a function.
	called = regexp.MustCompile(`provider::agentplane::(\w+)`)
	// inCode matches inline code, and identifier what can be the name of an attribute.
	inCode     = regexp.MustCompile("`([^`\n]+)`")
	identifier = regexp.MustCompile(`^[a-z][a-z0-9]*(?:_[a-z0-9]+)+(?:\.[a-z0-9_]+)*$|^[a-z][a-z0-9]*\.[a-z0-9]+_[a-z0-9_.]+$`)
	fences     = regexp.MustCompile("(?ms)^ *```.*?\n *```$")
	word       = regexp.MustCompile(`[A-Za-z][A-Za-z0-9_.]*`)
	literal    = regexp.MustCompile("\"(?:[^\"\\\\\\n]|\\\\.)*\"|`[^`]*`")
	indexes    = regexp.MustCompile(`\[[^\]]*\]`)
)

// ofTerraform are words of Terraform, and of systems for CI.
var ofTerraform = []string{
	"replace_triggered_by", "for_each", "required_providers", "provider_installation", "dev_overrides", "resource_drift", "schema_version",
	"after_unknown", "after_script", "before_script", "create_before_destroy", "prevent_destroy",
}

// elsewhereNamed are names of other providers, libraries and examples in the documentation, by what they belong to.
var elsewhereNamed = map[string][]string{
	"the vendor's provider":         {"langsmith_deployment", "langsmith_project", "api_url", "secrets_hash", "secrets_version", "environment_variables"},
	"LangSmith's client for Python": {"web_url"},
	"the AI SDK":                    {"experimental_telemetry", "experimental_telemetry.metadata"},
	"OTLP":                          {"partial_success"},
	"PostgreSQL":                    {"pg_restore", "remote_apply", "remote_write"},
	"the messages format":           {"output_config.format"},
	// Their parts are words of the source.
	"metrics": {"agentplane_runs_ingested_total", "agentplane_runs_refused_total", "agentplane_spans_ingested_total", "agentplane_spans_refused_total"},
	"counts":  {"video_cache_read", "document_cache_read", "batch_cache_read", "flex_cache_read"},
}

// pages are the hand-written pages of the documentation, by name.
func pages(t *testing.T) map[string]string {
	t.Helper()
	root, found := filepath.Join("..", ".."), map[string]string{}
	for _, from := range []string{"README.md", "templates"} {
		err := filepath.WalkDir(filepath.Join(root, from), func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			text, err := os.ReadFile(name)
			found[filepath.ToSlash(name)[6:]] = string(text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return found
}

// vocabulary has the words in string literals of the source, in tables, in examples and in the service's document.
func vocabulary(t *testing.T) map[string]bool {
	t.Helper()
	words := map[string]bool{}
	for _, names := range elsewhereNamed {
		for _, name := range names {
			words[name] = true
		}
	}
	for _, name := range ofTerraform {
		words[name] = true
	}
	for _, root := range []string{"..", filepath.Join("..", "..", "examples")} {
		err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
			document := filepath.Base(name) == "langsmith.openapi.json"
			if err != nil || entry.IsDir() || strings.HasSuffix(name, "_test.go") || strings.Contains(name, "testdata") && !document {
				return err
			}
			if !slices.Contains([]string{".go", ".txt", ".tf", ".json", ".rego", ".sh"}, filepath.Ext(name)) {
				return nil
			}
			text, err := os.ReadFile(name)
			texts := []string{string(text)}
			if filepath.Ext(name) == ".go" {
				texts = literal.FindAllString(string(text), -1)
			}
			for _, text := range texts {
				for _, found := range word.FindAllString(text, -1) {
					words[strings.Trim(found, ".")] = true
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return words
}

// pathIn reports whether a schema has an attribute at a path, which may go on within what has no schema, such as a map.
func pathIn(direct []*tfprotov6.SchemaAttribute, path []string) bool {
	if len(path) == 0 {
		return true
	}
	for _, a := range direct {
		if a.Name != path[0] {
			continue
		}
		if a.NestedType == nil {
			return len(path) == 1 || a.Type.String() == "tftypes.Map[tftypes.String]"
		}
		return pathIn(a.NestedType.Attributes, path[1:])
	}
	return false
}

// unknownNames lists what a page names and doesn't exist: types, functions, attributes.
func unknownNames(page string, all map[string]*tfprotov6.Schema, functions map[string]bool, words map[string]bool) []string {
	var unknown []string
	for _, found := range block.FindAllStringSubmatch(page, -1) {
		if all[found[1]+" "+found[2]] == nil {
			unknown = append(unknown, found[0])
		}
	}
	for _, found := range called.FindAllStringSubmatch(page, -1) {
		if !functions[found[1]] {
			unknown = append(unknown, found[0])
		}
	}
	for _, found := range reference.FindAllStringSubmatch(page, -1) {
		kind := strings.TrimSuffix(found[1], ".")
		if kind == "" {
			kind = "resource"
		}
		schema := all[kind+" "+found[2]]
		path := strings.FieldsFunc(indexes.ReplaceAllString(found[3], ""), func(r rune) bool { return r == '.' })
		if schema == nil || !pathIn(schema.Block.Attributes, path) {
			unknown = append(unknown, found[0])
		}
	}
	for _, found := range inCode.FindAllStringSubmatch(fences.ReplaceAllString(page, ""), -1) {
		if name := found[1]; identifier.MatchString(name) && !named(name, all, functions, words) {
			unknown = append(unknown, name)
		}
	}
	slices.Sort(unknown)
	return slices.Compact(unknown)
}

// named reports whether something has a name: an attribute if the first step of its path is one, or else any word of the source.
func named(name string, all map[string]*tfprotov6.Schema, functions, words map[string]bool) bool {
	steps := strings.Split(name, ".")
	if steps[0] == "resource_spec" {
		steps = append([]string{"source_config"}, steps...)
	}
	nested := false // Whether the first step is that of an object in a schema.
	for _, schema := range all {
		if pathIn(schema.Block.Attributes, steps) {
			return true
		}
		nested = nested || slices.ContainsFunc(schema.Block.Attributes, func(a *tfprotov6.SchemaAttribute) bool {
			return a.Name == steps[0] && a.NestedType != nil
		})
	}
	if nested && len(steps) > 1 {
		return words["langsmith:"+name]
	}
	if file := filepath.Ext(name); slices.Contains([]string{".go", ".tf", ".json", ".rego", ".hcl"}, file) {
		return true // TestLinks checks files.
	}
	return functions[name] || words[name]
}

// TestNamed expects that the documentation names only types, functions and attributes that exist.
func TestNamed(t *testing.T) {
	t.Parallel()
	all, functions, words := schemas(t), map[string]bool{}, vocabulary(t)
	for name := range start(t, nil).schema.Functions {
		functions[name] = true
	}
	for name := range withoutAttribute {
		words["langsmith:"+name], words["langsmith:"+strings.Replace(name, ".cache_", ".redis_", 1)] = true, true
	}
	words["langsmith:source_revision_config.langgraph_config_path"] = true
	for page, text := range pages(t) {
		for _, name := range unknownNames(text, all, functions, words) {
			t.Errorf("%s names %s, which doesn't exist", page, name)
		}
	}
	made := "`agentplane_deployment.chat.latest_revision` `source_config.resource_spec.cpus` `source_confg` `secrets_wo` " +
		"`data.agentplane_runs.x.runs[0].id`\n```hcl\nresource \"agentplane_runs\" \"x\" {\n}\nlocals { a = provider::agentplane::usages(1) }\n```\n"
	want := []string{"agentplane_deployment.chat.latest_revision", "provider::agentplane::usages", `resource "agentplane_runs"`,
		"source_confg", "source_config.resource_spec.cpus"}
	if got := unknownNames(made, all, functions, words); !slices.Equal(got, want) {
		t.Errorf("unknown names = %q, want %q", got, want)
	}
}

// TestBulkImport expects that the guide lists the required arguments that a generated configuration can't have.
func TestBulkImport(t *testing.T) {
	t.Parallel()
	guide, found := pages(t)["templates/guides/bulk-import.md"], 0
	for name, schema := range schemas(t) {
		resource, is := strings.CutPrefix(name, "resource ")
		if !is {
			continue
		}
		for _, a := range schema.Block.Attributes {
			if a.Required && a.Sensitive {
				found++
				if !strings.Contains(guide, "| `"+resource+"` | `"+a.Name+"` |") {
					t.Errorf("the guide doesn't say that %s of %s has to be filled in", a.Name, resource)
				}
			}
		}
	}
	if found == 0 || found != strings.Count(guide, "\n| `agentplane_") {
		t.Errorf("%d required arguments are sensitive, the guide lists %d", found, strings.Count(guide, "\n| `agentplane_"))
	}
}
