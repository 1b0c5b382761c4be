package message

import (
	"encoding/json"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/check"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Validate lists every rule that one half of a run breaks, in document order. The rules are those of the document's format;
// the pointers refer to the original document. It returns an error for data that isn't JSON.
func Validate(data []byte, side document.Side) ([]document.Problem, error) {
	if err := checkJSON(data, side); err != nil {
		return nil, err
	}
	v := &check.Checker{Side: side}
	src := document.NewSource(data, side)
	f := findFormat(detect(src))
	if f == nil {
		if key, inner, ok := wrapped(src); ok {
			if _, ok := readWrapped(src); ok {
				src, f, v.Base = inner, findFormat(detect(inner)), rawjson.Pointer(key)
			}
		}
	}
	if f == nil {
		unrecognizedProblems(v, src)
	} else {
		f.check(v, src)
	}
	return v.All(), nil
}

// ValidateUsage lists the problems of usage_metadata, which must be valid JSON.
func ValidateUsage(raw json.RawMessage) []document.Problem {
	v := &check.Checker{}
	v.Usage(raw, "")
	return v.Problems
}

// unrecognizedProblems reports which shapes would be recognized, or which values aren't messages.
func unrecognizedProblems(v *check.Checker, src document.Source) {
	found := false
	if list, ok := rawjson.ReadArray(src.Object.Get("messages")); ok {
		for i, raw := range list {
			if !rawjson.IsObject(raw) {
				found = true
				v.Add(rawjson.Pointer("messages", i), document.RuleMessageObject, "a message is "+rawjson.Show(raw)+", not an object",
					`write it as {"role": …, "content": […]}`)
			}
		}
	}
	if found {
		return
	}
	shapes := `{"messages": […]}, a list of {"role", "content"}, or {"input": …}`
	if v.Side == document.Outputs {
		shapes = `{"messages": […]}, {"choices": [{"message": {"role", "content"}}]}, {"message": {"role", "content"}}, ` +
			`{"role", "content"}, [role, content], {"output": […]} or {"generations": [[…]]}`
	}
	v.Add("", document.RuleFormatRecognized, "the "+v.Side.String()+" have no known format", "use one of the shapes "+shapes)
}
