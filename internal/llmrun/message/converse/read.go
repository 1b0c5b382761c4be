package converse

import (
	"cmp"
	"encoding/json"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/check"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/envelope"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/part"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/shape"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Has reports whether a document is a request or an answer of the Converse operation.
func Has(src document.Source) bool {
	o := src.Object
	if src.Side == document.Outputs {
		message, _ := answerOf(o)
		return isMessage.Fits(message)
	}
	list, ok := src.List("messages")
	return ok && shape.Most(list, isMessage.Fits)
}

// isMessage reports whether all blocks of a message have a member for their type.
var isMessage = shape.Named("converse_message")

// isGenkitAnswer and isGenkitRequest report whether such messages are Genkit's.
var isGenkitAnswer, isGenkitRequest = shape.Named("genkit_answer"), shape.Named("genkit_request")

// answerOf returns the message of an answer, and the object around it, which Genkit's doesn't have.
func answerOf(o rawjson.Object) (message json.RawMessage, outer rawjson.Object) {
	if isGenkitAnswer(o) {
		return o.Get("message"), nil
	}
	outer, _ = rawjson.ReadObject(o.Get("output"))
	return outer.Get("message"), outer
}

// Read reads the messages of a request, with the system prompt as the first one, and the message of an answer.
// Tool results become separate messages.
func Read(src document.Source) (*document.Document, bool) {
	o, side := src.Object, src.Side
	d := &document.Document{Format: document.FormatConverse, Side: side, Shape: document.ShapeMessages, Messages: []document.Message{}}
	if side == document.Outputs {
		d.Shape = document.ShapeMessage
		message, outer := answerOf(o)
		addMessage(d, message)
		if d.Extras = o.Rest("message"); outer != nil {
			d.Extras = o.Rest("output")
			d.Extras.PutObject("output", outer.Rest("message"))
		}
		return d, true
	}
	taken := []string{"messages"}
	if system, ok := readBlocks(o.Get("system")); ok && len(system) > 0 {
		d.Messages, taken = append(d.Messages, document.Message{Role: document.RoleSystem, Content: system}), append(taken, "system")
	}
	list, _ := src.List("messages")
	d.Extras = o.Rest(taken...)
	d.AddEntries(list, func(raw json.RawMessage) { addMessage(d, raw) })
	return d.KeepAside()
}

func addMessage(d *document.Document, raw json.RawMessage) {
	o, _ := rawjson.ReadObject(raw)
	role, _ := o.Text("role")
	role = cmp.Or(envelope.ChatRoles[role], role)
	start := len(d.Messages)
	blocks, ok := rawjson.ReadArray(o.Get("content"))
	if !ok || !part.AreParts(blocks) { // It isn't a message of the format.
		m := document.Message{}
		m.Extras = o.Rest(envelope.TakeMessage(&m, o, false)...)
		d.Messages = append(d.Messages, m)
		return
	}
	answer := readResult
	if role == document.RoleAssistant { // The results of a server's tools are part of its message.
		answer = func(rawjson.Object) (document.Message, bool) { return document.Message{}, false }
	}
	d.Messages = part.Split(d.Messages, blocks, role, answer, part.AppendUntyped)
	document.AddBeside(&d.Messages[start].Extras, o.Rest("role", "content"))
}

// readResult reads {"toolResult":{"toolUseId","content":[{"text"} or {"json"}],"status"}}, and Genkit's {"toolResponse":{"ref","name","output"}}.
func readResult(block rawjson.Object) (document.Message, bool) {
	if o, ok := rawjson.ReadObject(block.Get("toolResponse")); ok {
		m := part.Answer(o, "ref", "output", part.Output)
		document.AddBeside(&m.Extras, block.Rest("toolResponse").RemoveVoid())
		return m, true
	}
	o, ok := rawjson.ReadObject(block.Get("toolResult"))
	m := part.Answer(o, "toolUseId", "content", readBlocks)
	document.AddBeside(&m.Extras, block.Rest("toolResult").RemoveVoid())
	return m, ok
}

// readBlocks reads blocks, whose type is the name of their only member. Some clients write a string.
func readBlocks(raw json.RawMessage) ([]document.Block, bool) {
	return part.ContentBy(raw, part.AppendUntyped)
}

// Check validates the messages of the Converse operation.
func Check(v *check.Checker, src document.Source) {
	if v.Side == document.Outputs {
		raw, outer := answerOf(src.Object)
		message, _ := rawjson.ReadObject(raw)
		if outer == nil {
			checkMessage(v, message, v.Base+"/message", "model")
		} else {
			checkMessage(v, message, v.Base+"/output/message")
		}
		return
	}
	list, _ := src.List("messages")
	var more []string
	if isGenkitRequest(src.Object) {
		more = []string{document.RoleSystem, "model", document.RoleTool}
	}
	v.Each(list, "messages", func(o rawjson.Object, at string) { checkMessage(v, o, at, more...) })
}

func checkMessage(v *check.Checker, o rawjson.Object, at string, more ...string) {
	role := v.Role(o, envelope.Place{Base: at}, append([]string{document.RoleUser, document.RoleAssistant}, more...)...)
	v.OptionalBlocks(o, "content", at, func(block rawjson.Object, at string) { v.Untyped(block, at, role) })
}
