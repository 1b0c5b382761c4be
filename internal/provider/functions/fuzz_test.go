package functions

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// FuzzFunctions calls every function about runs with arbitrary texts. Functions must be pure, and errors must have an argument.
func FuzzFunctions(f *testing.F) {
	for _, text := range []string{
		"", "null", "{}", "[]", `{"messages":[{"role":"user","content":"Hi"}]}`, `[{"role":"assistant","content":null}]`,
		`{"inputs":{"messages":[]},"outputs":{"usage_metadata":{"input_tokens":1e6}}}`,
		`{"start_time":"2026-01-02T03:04:05Z","events":[{"name":"new_token","time":"2026-01-02T03:04:06Z"}]}`,
		`{"generations":[[{"message":{"kwargs":{"content":[{"type":"text","text":"Hi"}]}}}]]}`,
		strings.Repeat(`[`, 20_000), strings.Repeat(`{"a":`, 5000) + "1" + strings.Repeat("}", 5000), "\xff\x00",
	} {
		f.Add(text)
	}
	more := map[string][]attr.Value{
		"convert_messages": {types.StringValue("chat_completions")}, "model_name": nil, "normalize_messages": nil, "time_to_first_token": nil,
		"usage": nil, "validate_messages": nil,
	}
	f.Fuzz(func(t *testing.T, text string) {
		for name, rest := range more {
			arguments := append([]attr.Value{types.StringValue(text)}, rest...)
			got, err := result(t, name, arguments...)
			again, errAgain := result(t, name, arguments...)
			switch {
			case got != again || (err == nil) != (errAgain == nil):
				t.Errorf("%s returns %s (%v), then %s (%v)", name, got, err, again, errAgain)
			case err != nil && (err.FunctionArgument == nil || err.Text == ""):
				t.Errorf("%s: the error has no argument or no text: %v", name, err)
			}
		}
	})
}
