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
	d, err := Normalize(data, side)
	if err != nil {
		return nil, err
	}
	return ValidateRead(d), nil
}

// ValidateRead is Validate for a document that was read.
func ValidateRead(d *document.Document) []document.Problem {
	v := &check.Checker{Side: d.Side}
	src := document.NewSource(d.Source, d.Side)
	f := findFormat(detect(src))
	if d.Format == document.FormatUnrecognized {
		if f != nil {
			f.check(v, src) // It may say why the document can't be read.
		}
		if len(v.Problems) == 0 {
			unrecognizedProblems(v, src)
		}
		return v.All()
	}
	if key, inner, ok := wrapped(src); ok && f == nil {
		src, f, v.Base = inner, findFormat(detect(inner)), rawjson.Pointer(key)
	}
	return validate(v, d, src, f)
}

// validate lists the problems of a document by the rules of a format, of which src has the shape.
func validate(v *check.Checker, d *document.Document, src document.Source, f *format) []document.Problem {
	f.check(v, src)
	v.Content(d)
	return v.All()
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
