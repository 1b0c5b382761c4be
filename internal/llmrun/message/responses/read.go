package responses

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/check"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/envelope"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/part"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/shape"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Has reports whether a document is a call or an answer of the responses format. A client's wrapper has the same key,
// so a list of plain messages alone under "input" is not such a call.
func Has(src document.Source) bool {
	o := src.Object
	if src.Side == document.Inputs {
		if rawjson.IsString(o.Get("input")) && !o.Has("messages") {
			return true
		}
		items, ok := src.List("input")
		return ok && (len(items) > 0 && len(o) > 1 && rawjson.AllObjects(items) || rawjson.AnyObject(items, isItemShape))
	}
	if object, _ := o.Text("object"); object == "response" {
		return true
	}
	items, ok := src.List("output")
	return ok && rawjson.AnyObject(items, isItemShape)
}

// isItemShape reports whether an object is an item that only the responses format has.
var isItemShape = shape.Named("responses_item")

// Read reads the responses format: the input of a request, with its instructions as the first message, and the
// output of an answer, whose usage belongs to its last message.
func Read(src document.Source) (*document.Document, bool) {
	o, side := src.Object, src.Side
	d := &document.Document{Format: document.FormatResponses, Side: side, Shape: document.ShapeInput, Messages: []document.Message{}}
	key, taken := "input", make([]string, 0, 3)
	if side == document.Outputs {
		key, d.Shape = "output", document.ShapeOutput
	}
	if text, _ := o.Text("instructions"); text != "" && side == document.Inputs {
		d.Messages = append(d.Messages, document.Text(document.RoleSystem, text))
		taken = append(taken, "instructions")
	}
	items, ok := src.List(key)
	text, isText := o.Text(key)
	switch {
	case ok && (len(items) == 0 || slices.ContainsFunc(items, func(raw json.RawMessage) bool { return rawjson.IsObject(raw) })):
		taken = append(taken, key)
		d.AddEntries(items, func(raw json.RawMessage) { addItem(d, raw) })
	case isText && side == document.Inputs:
		taken = append(taken, key)
		d.Messages = append(d.Messages, document.Text(document.RoleUser, text))
	}
	if usage := o.Get("usage_metadata"); side == document.Outputs && len(d.Messages) > 0 && rawjson.IsObject(usage) {
		d.Messages[len(d.Messages)-1].UsageMetadata = usage
		taken = append(taken, "usage_metadata")
	}
	d.Extras = o.Rest(taken...)
	return d.KeepAside()
}

// addItem reads an item into a new message, or into the last one.
func addItem(d *document.Document, raw json.RawMessage) {
	o, _ := rawjson.ReadObject(raw)
	kind, ok := o.Text("type")
	switch {
	case !o.Has("type") || kind == "message":
		d.Messages = append(d.Messages, readMessage(o))
	case kind == "reasoning":
		d.Messages = append(d.Messages, part.Reasoning(o, "summary", part.SummaryText, "content", ""))
	case ok && strings.HasSuffix(kind, suffixCallOutput):
		d.Messages = append(d.Messages, readCallOutput(o, kind))
	case slices.Contains(userItems, kind):
		d.Messages = append(d.Messages, document.Message{Role: document.RoleUser, Content: part.Append(nil, o)})
	default: // The blocks of a call are added to the last assistant message, or to a new one.
		last := len(d.Messages) - 1
		if last < 0 || d.Messages[last].Role != document.RoleAssistant || d.Messages[last].Content == nil {
			d.Messages = append(d.Messages, document.Message{Role: document.RoleAssistant})
			last++
		}
		d.Messages[last].Content = part.Append(d.Messages[last].Content, o)
	}
}

// readMessage reads {"type":"message","role","content","id","status"}; the type may be absent.
func readMessage(o rawjson.Object) document.Message {
	var m document.Message
	taken := envelope.TakeMessage(&m, o, true)
	if m.Role == "developer" {
		m.Role = document.RoleSystem
	}
	m.Extras = o.Rest(append(taken, "type")...)
	return m
}

const (
	suffixCallOutput   = "_call_output"
	functionCallOutput = "function_call_output"
	localShellOutput   = "local_shell_call_output"
	shellOutput        = "shell_call_output"
	computerOutput     = "computer_call_output"
)

// readCallOutput reads {"type":"function_call_output","call_id","output"}, and the outputs of other calls that a client
// executes, whose type becomes the extra "type".
func readCallOutput(o rawjson.Object, kind string) document.Message {
	id := "call_id"
	if kind == localShellOutput && !o.Has(id) {
		id = "id"
	}
	m := part.Answer(o, id, "output", part.Output, "type")
	if kind != functionCallOutput {
		m.Extras.Put(document.KeyType, rawjson.Quote(kind))
	}
	return m
}

// Check validates the items of a responses call or answer. An input may be a plain string.
func Check(v *check.Checker, src document.Source) {
	o, key := src.Object, "input"
	if src.Side == document.Outputs {
		key = "output"
	}
	name, _ := o.Text("object")
	items, ok := src.List(key)
	if !ok && !rawjson.IsString(o.Get(key)) {
		v.Add(v.Base+rawjson.Pointer(key), document.RuleContentRequired, key+" is missing", "set it to a list of items")
	}
	v.Each(items, key, func(item rawjson.Object, at string) { checkItem(v, item, at, name == "realtime.response") })
	v.Usage(o.Get("usage_metadata"), v.Base+"/usage_metadata")
}

// checkItem validates an item. The calls of a Realtime answer needn't have an ID.
func checkItem(v *check.Checker, o rawjson.Object, at string, realtime bool) {
	kind, _ := o.Text("type")
	switch {
	case rawjson.IsNullOrAbsent(o.Get("type")) && o.Has("id") && len(o.Rest("type", "id")) == 0: // A reference to a stored item.
	case kind == "message" || !o.Has("type"):
		role := v.Role(o, envelope.Place{Base: at}, document.RoleSystem, "developer", document.RoleUser, document.RoleAssistant)
		v.Blocks(o.Get("content"), at+"/content", func(part rawjson.Object, at string) { v.Part(part, at, role) })
	case kind == "reasoning":
		for _, key := range []string{"summary", "content"} {
			v.OptionalBlocks(o, key, at, func(text rawjson.Object, at string) {
				v.Text(text, "type", at, document.RuleBlockType, true)
				v.Text(text, "text", at, document.RuleTextRequired, true)
			})
			if rawjson.IsString(o.Get(key)) {
				v.Add(at+rawjson.Pointer(key), document.RuleContentBlocks, "the "+key+" is a string, not a list of texts",
					`write it as [{"type", "text"}]`)
			}
		}
	case kind == "function_call":
		if id, ok := v.Text(o, "call_id", at, document.RuleToolCallID, !realtime); ok {
			v.Call(id, at+"/call_id", document.RoleAssistant)
		}
		v.Function(o.Encode(), at)
	default:
		v.Part(o, at, document.RoleAssistant)
	}
}
