package message

import (
	"encoding/json"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Validate lists every rule that one half of a run breaks, in document order. The rules are those of the document's format;
// the pointers refer to the original document. It returns an error for data that isn't JSON.
func Validate(data []byte, side Side) ([]Problem, error) {
	if err := checkJSON(data, side); err != nil {
		return nil, err
	}
	v := &validator{side: side}
	src := NewSource(data, side)
	f := findFormat(detect(src))
	if f == nil {
		if key, inner, ok := wrapped(src); ok {
			if _, ok := readWrapped(src); ok {
				src, f, v.base = inner, findFormat(detect(inner)), rawjson.Pointer(key)
			}
		}
	}
	if f == nil {
		unrecognizedProblems(v, src)
	} else {
		f.check(v, src)
	}
	return v.all(), nil
}

// ValidateUsage lists the problems of usage_metadata, which must be valid JSON.
func ValidateUsage(raw json.RawMessage) []Problem {
	v := &validator{}
	v.usage(raw, "")
	return v.problems
}

// unrecognizedProblems reports which shapes would be recognized, or which values aren't messages.
func unrecognizedProblems(v *validator, src Source) {
	found := false
	if list, ok := rawjson.ReadArray(src.Object.Get("messages")); ok {
		for i, raw := range list {
			if !rawjson.IsObject(raw) {
				found = true
				v.add(rawjson.Pointer("messages", i), ruleMessageObject, "a message is "+rawjson.Show(raw)+", not an object",
					`write it as {"role": …, "content": […]}`)
			}
		}
	}
	if found {
		return
	}
	shapes := `{"messages": […]}, a list of {"role", "content"}, or {"input": …}`
	if v.side == Outputs {
		shapes = `{"messages": […]}, {"choices": [{"message": {"role", "content"}}]}, {"message": {"role", "content"}}, ` +
			`{"role", "content"}, [role, content], {"output": […]} or {"generations": [[…]]}`
	}
	v.add("", RuleFormatRecognized, "the "+v.side.String()+" have no known format", "use one of the shapes "+shapes)
}
