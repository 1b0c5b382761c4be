package provider_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// requestsDocument tells which values a request may have, independently of the provider.
type requestsDocument struct {
	tree     map[string]any
	compiler *jsonschema.Compiler
	mu       sync.Mutex
}

const documentURL = "file:///requests.json"

func readRequestsDocument(t *testing.T) *requestsDocument {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "providertest", "testdata", "langsmith.openapi.json"))
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	d := &requestsDocument{compiler: jsonschema.NewCompiler()}
	d.tree, _ = parsed.(map[string]any)
	d.compiler.AssertFormat()
	if err := d.compiler.AddResource(documentURL, parsed); err != nil {
		t.Fatal(err)
	}
	return d
}

// allows reports whether the body of a POST request to a path has a property with the name of an attribute, and whether its schema
// allows a value.
func (d *requestsDocument) allows(path, attribute string, value any) (described, allowed bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	at := "#/paths/" + strings.ReplaceAll(d.template(path), "/", "~1") + "/post/requestBody/content/application~1json/schema"
	for step := range strings.SplitSeq(strings.NewReplacer("[", ".[").Replace(attribute), ".") {
		at = d.step(at, step)
	}
	if d.at(at) == nil {
		return false, false
	}
	schema, err := d.compiler.Compile(documentURL + at)
	return err == nil, err == nil && schema.Validate(value) == nil
}

// template returns the documented path that a path matches.
func (d *requestsDocument) template(path string) string {
	paths, _ := d.tree["paths"].(map[string]any)
	have := strings.Split(path, "/")
	for template := range paths {
		steps := strings.Split(template, "/")
		matches := len(steps) == len(have)
		for i := 0; matches && i < len(steps); i++ {
			matches = steps[i] == have[i] || strings.HasPrefix(steps[i], "{")
		}
		if matches {
			return template
		}
	}
	return path
}

// at returns what a pointer leads to, or nil.
func (d *requestsDocument) at(pointer string) any {
	var found any = d.tree
	for step := range strings.SplitSeq(strings.TrimPrefix(pointer, "#/"), "/") {
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		switch node := found.(type) {
		case map[string]any:
			found = node[step]
		case []any:
			if len(step) != 1 || int(step[0]-'0') >= len(node) {
				return nil
			}
			found = node[step[0]-'0']
		default:
			return nil
		}
	}
	return found
}

// step returns the pointer to the schema of a property, or of the elements, of what a pointer leads to. It is empty if there is none.
func (d *requestsDocument) step(pointer, name string) string {
	node, _ := d.at(pointer).(map[string]any)
	if ref, ok := node["$ref"].(string); ok {
		return d.step(ref, name)
	}
	next := pointer + "/properties/" + name
	if strings.HasPrefix(name, "[") {
		next = pointer + "/items"
		if strings.HasPrefix(name, `["`) {
			next = pointer + "/additionalProperties"
		}
	}
	if _, ok := d.at(next).(map[string]any); ok {
		return next
	}
	alternatives, _ := node["anyOf"].([]any)
	for i := range alternatives {
		if found := d.step(pointer+"/anyOf/"+string(rune('0'+i)), name); found != "" {
			return found
		}
	}
	return ""
}
