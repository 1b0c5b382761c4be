package message

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/check"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/envelope"
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

func validate(d *document.Document, name document.Format) []document.Problem {
	v := &check.Checker{Side: d.Side}
	src, wrappers := d.Origin()
	for _, key := range wrappers {
		v.Base += rawjson.Pointer(key)
	}
	findFormat(name).check(v, src)
	if outer, _ := rawjson.ReadObject(d.Source); len(wrappers) > 0 {
		v.Usage(outer.Get("usage_metadata"), "/usage_metadata")
	}
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
	list, _ := src.List("messages")
	v.Each(list, "messages", func(rawjson.Object, string) {})
	if len(v.Problems) > 0 {
		return
	}
	shapes := `{"messages": […]}, a list of {"role", "content"}, or {"input": …}`
	if v.Side == document.Outputs {
		shapes = `{"messages": […]}, {"choices": [{"message": {"role", "content"}}]}, {"message": {"role", "content"}}, ` +
			`{"role", "content"}, [role, content], {"output": […]} or {"generations": [[…]]}`
	}
	v.Add("", document.RuleFormatRecognized, "the "+v.Side.String()+" have no known format", "use one of the shapes "+shapes)
}

// ValidateAs is Validate for one half of a run that must have a format. In another format, that is the first problem, before those that it
// has in its own.
func ValidateAs(data []byte, side document.Side, want document.Format) ([]document.Problem, error) {
	d, err := Normalize(data, side)
	if err != nil {
		return nil, err
	}
	switch {
	case d.Format == want:
		return ValidateRead(d), nil
	case fits(d, want):
		return validate(d, want), nil
	}
	p := document.Problem{Rule: document.RuleFormatExpected, Remedy: fmt.Sprintf("pass %s in the format %s", side, want)}
	if d.Format == document.FormatUnrecognized {
		p.Message = fmt.Sprintf("the %s have no known format, but must have the format %s", side, want)
		own := slices.DeleteFunc(ValidateRead(d), func(p document.Problem) bool { return p.Rule == document.RuleFormatRecognized })
		return append([]document.Problem{p}, own...), nil
	}
	p.Message = fmt.Sprintf("the %s have the format %s, not %s", side, d.Format, want)
	if f := findFormat(want); want == document.FormatNative || f != nil && f.target != nil {
		p.Remedy += "; the function convert_messages converts them"
	}
	return append([]document.Problem{p}, ValidateRead(d)...), nil
}

// sharedKeys are the members beside the messages that mean the same in chat completions and in the messages format; the native format
// has its own member for all of them. Servers of open models add top_k to chat completions.
var sharedKeys = []string{
	"id", "model", "max_tokens", "temperature", "top_p", "top_k", "stream", "metadata", "service_tier",
}

// fits reports whether a conversation can also have another format than it was read as: if it consists of texts, several formats write
// it in the same way.
func fits(d *document.Document, want document.Format) bool {
	src, _ := d.Origin()
	e, ok := envelope.Open(src)
	alike := []document.Format{document.FormatNative, document.FormatChatCompletions, document.FormatMessages}
	if !ok || !slices.Contains(alike, d.Format) || !slices.Contains(alike, want) ||
		!slices.Contains([]string{document.ShapeMessages, document.ShapeList, document.ShapeMessage, document.ShapeBare}, d.Shape) {
		return false
	}
	for key := range e.Rest {
		if want == document.FormatNative || !slices.Contains(sharedKeys, key) {
			return false
		}
	}
	if len(d.Messages) != len(e.Messages) {
		return false
	}
	for i := range d.Messages {
		if !messageFits(&d.Messages[i], e.Messages[i], want) {
			return false
		}
	}
	return true
}

func messageFits(m *document.Message, raw json.RawMessage, want document.Format) bool {
	const native, messages = document.FormatNative, document.FormatMessages
	known := m.Role == document.RoleUser || m.Role == document.RoleAssistant || m.Role == document.RoleSystem && want != messages
	o, _ := rawjson.ReadObject(raw)
	role, _ := o.Text("role")
	if !known || role != m.Role || m.Extras != nil || m.UsageMetadata != nil || want == native && rawjson.IsString(o.Get("content")) {
		return false
	}
	return !slices.ContainsFunc(m.Content, func(b document.Block) bool { return !document.IsPlainText(&b) })
}
