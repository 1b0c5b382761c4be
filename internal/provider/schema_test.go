package provider_test

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	frameworkprovider "github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/agentplane/terraform-provider-agentplane/internal/provider"
)

var update = flag.Bool("update", false, "write testdata/schema.golden instead of comparing with it")

// attribute is one attribute and the path that leads to it: .name in an object, []. in a list, {}. in a map.
type attribute struct {
	path string
	*tfprotov6.SchemaAttribute
}

// attributes are those of a schema at any depth, sorted by path.
func attributes(prefix string, direct []*tfprotov6.SchemaAttribute) []attribute {
	var all []attribute
	for _, a := range direct {
		all = append(all, attribute{prefix + "." + a.Name, a})
		if a.NestedType != nil {
			all = append(all, attributes(prefix+"."+a.Name+brackets[a.NestedType.Nesting], a.NestedType.Attributes)...)
		}
	}
	slices.SortFunc(all, func(a, b attribute) int { return cmp.Compare(a.path, b.path) })
	return all
}

var brackets = map[tfprotov6.SchemaObjectNestingMode]string{
	tfprotov6.SchemaObjectNestingModeList: "[]",
	tfprotov6.SchemaObjectNestingModeMap:  "{}",
	tfprotov6.SchemaObjectNestingModeSet:  "<>",
}

// schemas are all schemas of the provider, by the words that a configuration begins the block with.
func schemas(t *testing.T) map[string]*tfprotov6.Schema {
	t.Helper()
	p := start(t, nil)
	all := map[string]*tfprotov6.Schema{"provider": p.schema.Provider}
	for kind, offered := range map[string]map[string]*tfprotov6.Schema{
		"resource": p.schema.ResourceSchemas, "data": p.schema.DataSourceSchemas, "ephemeral": p.schema.EphemeralResourceSchemas,
		"list": p.schema.ListResourceSchemas,
	} {
		for name, schema := range offered {
			all[kind+" "+name] = schema
		}
	}
	for name, action := range p.schema.ActionSchemas {
		all["action "+name] = action.Schema
	}
	return all
}

// allAttributes are the attributes of all schemas.
func allAttributes(t *testing.T) []attribute {
	t.Helper()
	all := schemas(t)
	var found []attribute
	for _, name := range slices.Sorted(maps.Keys(all)) {
		found = append(found, attributes(name, all[name].Block.Attributes)...)
	}
	return found
}

// TestSchema_golden fails when the configurations that people have written would mean something else. What is meant to
// change is written by: go test ./internal/provider -run TestSchema_golden -update.
func TestSchema_golden(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for _, a := range allAttributes(t) {
		fmt.Fprintln(&b, a)
	}
	golden := filepath.Join("testdata", "schema.golden")
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(strings.Split(string(want), "\n"), strings.Split(b.String(), "\n")); diff != "" {
		t.Errorf("the schema has changed; if it is meant to, run\n\tgo test ./internal/provider -run TestSchema_golden -update\n%s", diff)
	}
}

// String is path, type and properties.
func (a attribute) String() string {
	kind := "object"
	if a.NestedType == nil {
		kind = strings.ToLower(strings.ReplaceAll(a.Type.String(), "tftypes.", ""))
	}
	words := []string{a.path + brackets[nesting(a)] + ": " + kind}
	for _, property := range []struct {
		set  bool
		name string
	}{
		{a.Required, "required"}, {a.Optional, "optional"}, {a.Computed, "computed"},
		{a.Sensitive, "sensitive"}, {a.WriteOnly, "write-only"}, {a.Deprecated, "deprecated"},
	} {
		if property.set {
			words = append(words, property.name)
		}
	}
	return strings.Join(words, ", ")
}

func nesting(a attribute) tfprotov6.SchemaObjectNestingMode {
	if a.NestedType == nil {
		return tfprotov6.SchemaObjectNestingModeInvalid
	}
	return a.NestedType.Nesting
}

// TestSchema_described expects whole sentences about every attribute and every block.
func TestSchema_described(t *testing.T) {
	t.Parallel()
	for name, schema := range schemas(t) {
		checkDescribed(t, name, schema.Block.Description, schema.Block.DescriptionKind)
	}
	for _, a := range allAttributes(t) {
		checkDescribed(t, a.path, a.Description, a.DescriptionKind)
	}
}

func checkDescribed(t *testing.T, name, description string, kind tfprotov6.StringKind) {
	t.Helper()
	if !strings.HasSuffix(description, ".") {
		t.Errorf("%s: want a description that ends with a full stop, got %q", name, description)
	}
	// The single times are described by a module of its own, in plain text.
	if kind != tfprotov6.StringKindMarkdown && !strings.Contains(name, ".timeouts.") {
		t.Errorf("%s: want a MarkdownDescription, got a plain one", name)
	}
}

// namesOfSecrets look like secrets but only say where one is, or what it is called; tokens of models are none, nor is what is known of tokens of users.
var namesOfSecrets = regexp.MustCompile(`(^|\.)(image_pull_secrets\[?]?(\.name)?|(total|prompt|completion|unpriced)_tokens|time_to_first_token|has_token)$|oauth_tokens\.tokens$`)

var secretNames = regexp.MustCompile(`(^|[._])(secrets?(_wo)?|passwords?|tokens?|api_keys?|credentials?|private_keys?|(in|out)puts_json|env\[\]\.value)$`)

// TestSchema_sensitive expects what carries a secret to be hidden from plans.
func TestSchema_sensitive(t *testing.T) {
	t.Parallel()
	found, hidden := 0, "" // hidden is the last attribute that hides what is in it.
	for _, a := range allAttributes(t) {
		if a.Sensitive {
			hidden = a.path
		}
		// The arguments of an action are stored nowhere, and the protocol can't hide them from plans.
		if !secretNames.MatchString(a.path) || namesOfSecrets.MatchString(a.path) || strings.HasPrefix(a.path, "action ") {
			continue
		}
		found++
		if !a.Sensitive && (hidden == "" || !strings.HasPrefix(a.path, hidden)) {
			t.Errorf("%s is not sensitive", a.path)
		}
	}
	if found == 0 {
		t.Error("no attribute looks like a secret: the pattern is wrong")
	}
}

// TestSchema_shapes refuses what plans badly: comparing sets of objects takes quadratic time, and blocks can't be
// computed.
func TestSchema_shapes(t *testing.T) {
	t.Parallel()
	for name, schema := range schemas(t) {
		if len(schema.Block.BlockTypes) > 0 {
			t.Errorf("%s has blocks: use nested attributes", name)
		}
	}
	for _, a := range allAttributes(t) {
		if nesting(a) == tfprotov6.SchemaObjectNestingModeSet {
			t.Errorf("%s is a set of objects: use a list or a map", a.path)
		}
	}
}

// TestSchema_implementation asks the framework for mistakes that it finds only when a value meets the schema.
func TestSchema_implementation(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	p := provider.New("test")()
	var offered frameworkprovider.SchemaResponse
	p.Schema(ctx, frameworkprovider.SchemaRequest{}, &offered)
	if diags := offered.Schema.ValidateImplementation(ctx); diags.HasError() {
		t.Errorf("provider: %v", diags)
	}
	for _, construct := range p.Resources(ctx) {
		var resp resource.SchemaResponse
		construct().Schema(ctx, resource.SchemaRequest{}, &resp)
		if diags := resp.Schema.ValidateImplementation(ctx); diags.HasError() {
			t.Errorf("%T: %v", construct(), diags)
		}
	}
	actions, ok := p.(frameworkprovider.ProviderWithActions)
	if !ok {
		t.Fatal("the provider offers no actions")
	}
	for _, construct := range actions.Actions(ctx) {
		var resp action.SchemaResponse
		construct().Schema(ctx, action.SchemaRequest{}, &resp)
		if diags := resp.Schema.ValidateImplementation(ctx); diags.HasError() {
			t.Errorf("%T: %v", construct(), diags)
		}
	}
	for _, construct := range p.DataSources(ctx) {
		var resp datasource.SchemaResponse
		construct().Schema(ctx, datasource.SchemaRequest{}, &resp)
		if diags := resp.Schema.ValidateImplementation(ctx); diags.HasError() {
			t.Errorf("%T: %v", construct(), diags)
		}
	}
}
