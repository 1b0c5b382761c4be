package provider_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
	ctyjson "github.com/zclconf/go-cty/cty/json"
)

// A table is a file of paragraphs. One that begins with "right" is a configuration in which nothing is wrong:
//
//	right resource agentplane_listener [dialect]
//	compute_id = "cluster"
//
// Each of those that follow changes it, and names what is to be told: with "!" errors, with "?" warnings, each with the path
// that it stands on, and with words that must be in it, a part of the remedy among them:
//
//	compute_id = ""
//	! compute_id: at least 1
//
// Values are written in Terraform's language. A line that begins with "#" is a comment, and "spec" is short for the path of a
// resource_spec.

// wrongTable is what a paragraph with "right" begins.
type wrongTable struct {
	kind, typeName string
	dialect        string // Empty for all.
	right          map[string]any
	cases          []wrongCase
}

// wrongCase is a configuration with a mistake, or with two.
type wrongCase struct {
	title  string
	config map[string]any
	want   []toldOf
}

// toldOf is an expected diagnostic.
type toldOf struct {
	severity, at, words string
}

// readTables reads the tables of all files. variables are what the values may refer to.
func readTables(t *testing.T, variables map[string]string) []wrongTable {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "wrong", "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no tables: %v", err)
	}
	scope := &hcl.EvalContext{
		Variables: map[string]cty.Value{},
		Functions: map[string]function.Function{"jsonencode": stdlib.JSONEncodeFunc, "repeat": repeat},
	}
	for name, value := range variables {
		scope.Variables[name] = cty.StringVal(value)
	}
	var tables []wrongTable
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for paragraph := range strings.SplitSeq(string(data), "\n\n") {
			lines := slices.DeleteFunc(strings.Split(paragraph, "\n"), func(line string) bool {
				return strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#")
			})
			if len(lines) == 0 {
				continue
			}
			if header, is := strings.CutPrefix(lines[0], "right "); is {
				words := append(strings.Fields(header), "")
				table := wrongTable{kind: words[0], typeName: words[1], dialect: words[2]}
				table.right = readCase(t, scope, map[string]any{}, lines[1:]).config
				tables = append(tables, table)
				continue
			}
			table := &tables[len(tables)-1]
			table.cases = append(table.cases, readCase(t, scope, table.right, lines))
		}
	}
	return tables
}

// readCase is what the lines of a paragraph make of a configuration.
func readCase(t *testing.T, scope *hcl.EvalContext, right map[string]any, lines []string) wrongCase {
	t.Helper()
	c := wrongCase{config: copied(t, right)}
	for _, line := range lines {
		severity, told, expected := strings.Cut(line, " ")
		if expected && (severity == "!" || severity == "?") {
			at, words, ok := strings.Cut(told, ": ")
			if !ok {
				t.Fatalf("%q names no path", line)
			}
			c.want = append(c.want, toldOf{map[string]string{"!": "ERROR", "?": "WARNING"}[severity], whole(at), words})
			continue
		}
		c.title = strings.TrimSpace(c.title + " " + line)
		at, expression, ok := strings.Cut(line, " = ")
		if !ok {
			t.Fatalf("%q sets nothing", line)
		}
		assign(c.config, strings.Split(whole(at), "."), evaluated(t, scope, expression))
	}
	return c
}

// whole is a path without the short word for that of resource_spec.
func whole(at string) string {
	if rest, is := strings.CutPrefix(at, "spec"); is && (rest == "" || rest[0] == '.') {
		return "source_config.resource_spec" + rest
	}
	return at
}

func copied(t *testing.T, config map[string]any) map[string]any {
	t.Helper()
	data, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	var same map[string]any
	if err := json.Unmarshal(data, &same); err != nil {
		t.Fatal(err)
	}
	return same
}

// assign sets an attribute at a path, in objects that it makes where there are none.
func assign(config map[string]any, at []string, value any) {
	for _, name := range at[:len(at)-1] {
		object, is := config[name].(map[string]any)
		if !is {
			object = map[string]any{}
			config[name] = object
		}
		config = object
	}
	config[at[len(at)-1]] = value
}

func evaluated(t *testing.T, scope *hcl.EvalContext, expression string) any {
	t.Helper()
	parsed, diags := hclsyntax.ParseExpression([]byte(expression), "table", hcl.InitialPos)
	if diags.HasErrors() {
		t.Fatalf("%s: %s", expression, diags)
	}
	value, diags := parsed.Value(scope)
	if diags.HasErrors() {
		t.Fatalf("%s: %s", expression, diags)
	}
	data, err := ctyjson.Marshal(value, value.Type())
	if err != nil {
		t.Fatalf("%s: %s", expression, err)
	}
	var plain any
	if err := json.Unmarshal(data, &plain); err != nil {
		t.Fatal(err)
	}
	return plain
}

// repeat is a text as many times as wanted.
var repeat = function.New(&function.Spec{
	Params: []function.Parameter{{Name: "text", Type: cty.String}, {Name: "times", Type: cty.Number}},
	Type:   function.StaticReturnType(cty.String),
	Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
		times, _ := args[1].AsBigFloat().Int64()
		return cty.StringVal(strings.Repeat(args[0].AsString(), int(times))), nil
	},
})

func (w toldOf) String() string { return fmt.Sprintf("%s at %s", w.severity, w.at) }
