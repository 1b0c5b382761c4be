package provider_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest/core"
)

// exampleFiles has the examples of everything that a provider offers, by the kind of schema.
var exampleFiles = map[string]string{
	"provider": "provider/provider*.tf", "resource": "resources/%s/resource*.tf", "data": "data-sources/%s/data-source*.tf",
	"ephemeral": "ephemeral-resources/%s/ephemeral-resource*.tf", "action": "actions/%s/action*.tf",
	"list": "list-resources/%s/list-resource*.tfquery.hcl", "function": "functions/%s/function*.tf",
}

// needsLogin matches examples for a user who is logged in at an OAuth provider that they don't create.
var needsLogin = regexp.MustCompile(`"calendar"`)

// readBases returns the configurations in the examples of a type, which are valid, after what they refer to was created. For a
// function, it returns the arguments of its calls.
func readBases(t *testing.T, plane *providertest.Plane, kind, name string) []any {
	t.Helper()
	pattern := exampleFiles[kind]
	if strings.Contains(pattern, "%s") {
		pattern = fmt.Sprintf(pattern, name)
	}
	files, err := filepath.Glob(filepath.Join("..", "..", "examples", filepath.FromSlash(pattern)))
	if err != nil {
		t.Fatal(err)
	}
	var bases []any
	loggedIn := false
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), `"hashicorp/`) {
			continue // The driver has no other provider.
		}
		if !loggedIn && needsLogin.Match(text) && !strings.Contains(string(text), `resource "agentplane_oauth_provider" "calendar"`) {
			logIn(plane, kind == "action")
			loggedIn = true
		}
		if strings.Contains(string(text), `data "agentplane_experiment"`) {
			var dataset struct{ ID string }
			plane.Call("POST", "/api/v1/datasets", map[string]any{"name": "support"}, &dataset)
			plane.Call("POST", "/api/v1/sessions", map[string]any{"name": "support-1", "reference_dataset_id": dataset.ID}, nil)
		}
		e := readExample(t, plane, file, string(text))
		if kind == "function" {
			bases = append(bases, e.calls(name)...)
		} else {
			bases = append(bases, e.configurations(kind, name)...)
		}
	}
	return bases
}

// logIn creates the OAuth provider that examples refer to, a token of the user, and perhaps the connection of an agent.
func logIn(plane *providertest.Plane, connect bool) {
	plane.Call("POST", "/v2/auth/providers", map[string]any{
		"provider_id": "calendar", "name": "Calendar", "client_id": "agents",
		"auth_url": "https://login.example.com/authorize", "token_url": "https://login.example.com/token",
	}, nil)
	plane.Call("POST", "/v2/auth/tokens/import", map[string]any{
		"provider_id": "calendar", "access_token": "the-users-own-token", "scopes": []string{"calendar.read"},
	}, nil)
	if connect {
		var tokens []struct {
			ID string `json:"id"`
		}
		plane.Call("GET", "/v2/auth/tokens", nil, &tokens)
		plane.Call("POST", "/v2/auth/agents/assistant/connections", map[string]any{"oauth_token_id": tokens[0].ID}, nil)
	}
}

// example is a file of the examples.
type example struct {
	t      *testing.T
	plane  *providertest.Plane
	text   string
	blocks hclsyntax.Blocks
}

func readExample(t *testing.T, plane *providertest.Plane, file, text string) *example {
	t.Helper()
	parsed, diags := hclsyntax.ParseConfig([]byte(text), file, hcl.InitialPos)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	body, _ := parsed.Body.(*hclsyntax.Body)
	return &example{t, plane, text, body.Blocks}
}

// metaArguments belong to the language, not to a schema.
var metaArguments = []string{"count", "depends_on", "for_each", "provider"}

// configurations returns the values of the arguments of each block of a type.
func (e *example) configurations(kind, name string) []any {
	e.t.Helper()
	var values []string
	var used []hcl.Traversal
	for _, b := range e.blocks {
		if b.Type != kind || b.Labels[0] != name {
			continue
		}
		body := b.Body
		for _, nested := range body.Blocks {
			if nested.Type == "config" { // Of an action or a list resource.
				body = nested.Body
			}
		}
		var value strings.Builder
		for name, attribute := range body.Attributes {
			if !slices.Contains(metaArguments, name) {
				fmt.Fprintf(&value, "  %s = %s\n", name, e.source(attribute.Expr))
				used = append(used, attribute.Expr.Variables()...)
			}
		}
		values = append(values, "{\n"+value.String()+"}")
	}
	found, _ := e.run("["+strings.Join(values, ", ")+"]", used, kind+"."+name+".").([]any)
	return found
}

// calls returns the arguments of each call of a function.
func (e *example) calls(name string) []any {
	e.t.Helper()
	recorded := &callRecorder{calls: map[string][]any{}}
	factories := e.plane.Factories()
	start := factories["agentplane"]
	factories["agentplane"] = func() (tfprotov6.ProviderServer, error) {
		server, err := start()
		return callRecordingServer{server, recorded}, err
	}
	var values []string
	var used []hcl.Traversal
	var visit func(blocks hclsyntax.Blocks)
	visit = func(blocks hclsyntax.Blocks) {
		for _, b := range blocks {
			for _, attribute := range b.Body.Attributes {
				if strings.Contains(e.source(attribute.Expr), "provider::agentplane::"+name+"(") {
					values, used = append(values, e.source(attribute.Expr)), append(used, attribute.Expr.Variables()...)
				}
			}
			visit(b.Body.Blocks)
		}
	}
	visit(e.blocks)
	source, _ := e.output("["+strings.Join(values, ", ")+"]", used)
	resource.Test(e.t, resource.TestCase{ // The calls are made by a plan, too.
		ProtoV6ProviderFactories: factories, Steps: []resource.TestStep{{Config: offered + source, PlanOnly: true, ExpectNonEmptyPlan: true}},
		TerraformVersionChecks: []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_8_0)},
	})
	return recorded.distinct(name)
}

// offered is needed to call the functions of the provider under test.
const offered = `terraform {
  required_providers {
    agentplane = {
      source = "hashicorp/agentplane"
    }
  }
}
`

type callRecorder struct{ calls map[string][]any }

// distinct returns the arguments of the calls of a function, each list once.
func (r *callRecorder) distinct(name string) []any {
	var all []any
	for _, args := range r.calls[name] {
		if !slices.ContainsFunc(all, func(other any) bool { return reflect.DeepEqual(args, other) }) {
			all = append(all, args)
		}
	}
	return all
}

type callRecordingServer struct {
	tfprotov6.ProviderServer
	*callRecorder
}

// CallFunction implements tfprotov6.FunctionServer.
func (s callRecordingServer) CallFunction(ctx context.Context, req *tfprotov6.CallFunctionRequest) (*tfprotov6.CallFunctionResponse, error) {
	schema, err := s.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		return nil, err
	}
	args := make([]any, len(req.Arguments))
	for i, arg := range req.Arguments {
		value, err := arg.Unmarshal(parameter(schema.Functions[req.Name], i).Type)
		if err != nil {
			return nil, err
		}
		args[i] = plainValue(value)
	}
	s.calls[req.Name] = append(s.calls[req.Name], args)
	return s.ProviderServer.CallFunction(ctx, req)
}

func parameter(f *tfprotov6.Function, i int) *tfprotov6.FunctionParameter {
	if i < len(f.Parameters) {
		return f.Parameters[i]
	}
	return f.VariadicParameter
}

// output is a configuration with a value and the blocks that it needs, which are also returned by address.
func (e *example) output(value string, used []hcl.Traversal) (string, map[string]string) {
	blocks := map[string]string{}
	e.collect(blocks, used)
	return strings.Join(slices.Sorted(maps.Values(blocks)), "") + "output \"value\" {\n  sensitive = true\n  value     = " + value + "\n}\n", blocks
}

// run applies the blocks that a value needs, and returns the value. If a block of the type itself is among them, all are destroyed, so
// that the configurations can be applied.
func (e *example) run(value string, used []hcl.Traversal, own string) any {
	e.t.Helper()
	source, blocks := e.output(value, used)
	session := core.NewSession(e.plane.Factories())
	outputs, err := session.Apply(e.t.Context(), source)
	if err != nil {
		e.t.Fatalf("%v\n%s", err, source)
	}
	for key := range blocks {
		if own != "" && strings.HasPrefix(key, own) {
			if err := session.Destroy(e.t.Context()); err != nil {
				e.t.Fatal(err)
			}
			break
		}
	}
	return outputs["value"]
}

// collect adds the text of the blocks that references lead to, and of those that these need.
func (e *example) collect(into map[string]string, used []hcl.Traversal) {
	for _, traversal := range used {
		for _, b := range e.blocks {
			key := strings.Join(append([]string{b.Type}, b.Labels...), ".")
			if b.Type == "locals" { // A file may have several.
				key += fmt.Sprint(b.TypeRange.Start.Line)
			}
			if _, done := into[key]; done || !e.leadsTo(traversal, b) {
				continue
			}
			var text strings.Builder
			fmt.Fprintf(&text, "%s %s {\n", b.Type, quoted(b.Labels))
			into[key] = ""
			if value, secret := e.variable(b); secret {
				fmt.Fprintf(&text, "  default = %q\n", value)
			} else {
				for name, attribute := range b.Body.Attributes { // Without lifecycle rules.
					fmt.Fprintf(&text, "  %s = %s\n", name, e.source(attribute.Expr))
					if b.Type != "variable" {
						e.collect(into, attribute.Expr.Variables())
					}
				}
			}
			into[key] = text.String() + "}\n"
		}
	}
}

func quoted(labels []string) string {
	var all strings.Builder
	for _, label := range labels {
		fmt.Fprintf(&all, "%q ", label)
	}
	return all.String()
}

// variable returns the value of a variable that has no default, or a default that no test can use.
func (e *example) variable(b *hclsyntax.Block) (string, bool) {
	switch {
	case b.Type != "variable":
		return "", false
	case b.Labels[0] == "mcp_server_url":
		return providertest.NewMCPServer(e.t), true
	}
	return "the-value-of-" + b.Labels[0], b.Body.Attributes["default"] == nil
}

// leadsTo reports whether a block declares what a traversal begins with.
func (e *example) leadsTo(traversal hcl.Traversal, b *hclsyntax.Block) bool {
	steps := []string{traversal.RootName()}
	for _, step := range traversal[1:] {
		if attribute, ok := step.(hcl.TraverseAttr); ok {
			steps = append(steps, attribute.Name)
		}
	}
	switch b.Type {
	case "variable":
		steps[0] = strings.Replace(steps[0], "var", "variable", 1)
	case "locals":
		return steps[0] == "local" && len(steps) > 1 && b.Body.Attributes[steps[1]] != nil
	case "resource":
		steps = append([]string{"resource"}, steps...)
	}
	want := append([]string{b.Type}, b.Labels...)
	return len(steps) >= len(want) && slices.Equal(steps[:len(want)], want)
}

func (e *example) source(expression hclsyntax.Expression) string {
	return string(expression.Range().SliceBytes([]byte(e.text)))
}
