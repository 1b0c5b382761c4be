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
	if d.Format != document.FormatUnrecognized {
		return validate(d, d.Format)
	}
	v := &check.Checker{Side: d.Side}
	src := document.NewSource(d.Source, d.Side)
	if f := findFormat(detect(src)); f != nil {
		f.check(v, src) // It may say why the document can't be read.
	}
	if len(v.Problems) == 0 {
		unrecognizedProblems(v, src)
	}
	return v.All()
}

// validate lists the problems of a document by the rules of a format.
func validate(d *document.Document, name document.Format) []document.Problem {
	v := &check.Checker{Side: d.Side}
	src, wrapper := d.Origin()
	if wrapper != "" {
		v.Base = rawjson.Pointer(wrapper)
	}
	findFormat(name).check(v, src)
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
	if list, ok := src.List("messages"); ok {
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
