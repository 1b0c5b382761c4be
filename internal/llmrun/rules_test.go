package llmrun

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"testing"
)

// rules are the rules of the specification of traced runs, and the tests that check them.
var rules = []struct {
	rule  string
	tests []string
}{
	// Native message format.
	{"the inputs or outputs have an array messages", []string{"TestRuleMessagesArray", "TestGoldens"}},
	{"a message has a role: system, reasoning, user, assistant or tool", []string{"TestRuleRole"}},
	{"a message has content, an array of typed content blocks", []string{"TestRuleContent"}},
	{"tool_call_id is valid only when the role is tool", []string{"TestRuleToolCallIDRole"}},
	{"tool_call_id equals the id of a tool call in a prior assistant message", []string{"TestRuleToolCallIDKnown"}},
	{"usage_metadata holds token counts and costs", []string{"TestRuleUsageMetadata"}},

	// Content blocks.
	{"a block has a type, a string, one of those listed or reasoning", []string{"TestRuleBlockType"}},
	{"a text has text; annotations is an array of objects; extras is an object", []string{"TestRuleTextBlock"}},
	{"a reasoning has text; extras is an object", []string{"TestRuleReasoningBlock"}},
	{"image, file, audio and video have base64, or a url or an id in its place, and a media type of their kind", []string{"TestRuleMediaBlocks"}},
	{"a tool_call has args, an object, and a unique id", []string{"TestRuleToolCallBlock"}},
	{"a server_tool_call has an id, a name and args", []string{"TestRuleServerToolCallBlock"}},
	{"a server_tool_result has the id of its call, a status that is success or error, and any output", []string{"TestRuleServerToolResultBlock"}},

	// Other accepted shapes.
	{"a custom format is native, a chat-completions or a messages format; others are stored", []string{"TestDetect", "TestNormalizeKeepsWhatItDoesNotKnow"}},
	{"inputs may be a list of {role, content}", []string{"TestGoldens", "TestValidateChat"}},
	{"outputs may be choices, a message, a bare message or a pair", []string{"TestGoldens", "TestValidateChat"}},
	{"usage_metadata accompanies an output with integer counts", []string{"TestGoldens", "TestRuleUsageMetadata"}},

	// Runs, as the service and its clients use them.
	{"custom formats are converted before they are logged", []string{"TestConvertToChat", "TestConvertToMessages"}},
	{"run_type is llm for model runs", []string{"TestRunTypes", "TestUsageOfOtherRuns"}},
	{"the model name is metadata.ls_model_name, inputs.model, inputs.model_name, in this order", []string{"TestModelNamePrecedence"}},
	{"ls_provider names the provider", []string{"TestModelNamePrecedence"}},
	{"a reduce function combines chunks into the shape that isn't streamed", []string{"TestReduce", "TestStreamFormat", "TestReducedIsRead"}},
	{"new_token marks the first token, and time to first token follows from it", []string{"TestTimeToFirstToken", "TestCheckEvents"}},
}

// TestEveryRuleHasATest looks for the tests in the files of this package and its subpackages.
func TestEveryRuleHasATest(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	below, err := filepath.Glob("*/*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var tests []string
	for _, name := range append(files, below...) {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil {
				tests = append(tests, f.Name.Name)
			}
		}
	}
	for _, r := range rules {
		if len(r.tests) == 0 {
			t.Errorf("no test checks the rule %q", r.rule)
		}
		for _, name := range r.tests {
			if !slices.Contains(tests, name) {
				t.Errorf("rule %q is checked by %s, which doesn't exist", r.rule, name)
			}
		}
	}
}
