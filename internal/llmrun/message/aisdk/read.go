package aisdk

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

// Types of parts for which the SDK has its own names.
const (
	kindCall   = "tool-call"
	kindResult = "tool-result"
	// kindStep begins another call of the model in a message that the SDK shows. Its tools have types such as tool-weather.
	kindStep    = "step-start"
	kindDynamic = "dynamic-tool"
	prefixTool  = "tool-"

	keyParts = "parts"
)

// Has reports whether a document is a call or a result of the SDK whose parts have names such as tool-call.
func Has(src document.Source) bool {
	if src.Side == document.Outputs && isResult(src.Object) {
		return true
	}
	list, shape, ok := messagesOf(src)
	return ok && (rawjson.AnyObject(list, isMessage) || shape == document.ShapePrompt)
}

// messagesOf returns the messages of a call or an answer, and their shape, which is also the key of their list.
func messagesOf(src document.Source) (list []json.RawMessage, shape string, ok bool) {
	o, side := src.Object, src.Side
	if prompt, ok := src.List("prompt"); ok && side == document.Inputs {
		return prompt, document.ShapePrompt, envelope.AreMessages(prompt)
	}
	if list, ok := src.List("messages"); ok {
		return list, document.ShapeMessages, true
	}
	if list, ok := src.List(""); ok {
		return list, document.ShapeList, true
	}
	return []json.RawMessage{src.Raw}, document.ShapeBare, side == document.Outputs && (rawjson.IsArray(o.Get("content")) || isUI(o))
}

// isMessage reports whether a message is one that only the SDK has, isUI whether it is one that the SDK shows. isResult says whether an answer
// is a result, hasSteps whether it has only the results of an agent's steps.
var isMessage, isUI = shape.Named("ai_sdk_message"), shape.Named("ai_sdk_ui")
var isResult, hasSteps = shape.Named("ai_sdk_result"), shape.Named("ai_sdk_steps")

// Read reads messages and results. Tool results become separate messages.
func Read(src document.Source) (*document.Document, bool) {
	o, side := src.Object, src.Side
	d := &document.Document{Format: document.FormatAISDK, Side: side, Shape: document.ShapeMessages, Messages: []document.Message{}}
	if side == document.Outputs && isResult(o) {
		d.Shape = document.ShapeResult
		if !hasSteps(o) {
			m, rest := readResult(o)
			d.Messages, d.Extras = append(d.Messages, m), rest
			return d, true
		}
		steps, _ := src.List("steps")
		for _, step := range rawjson.Objects(steps) {
			m, rest := readResult(step)
			m.Extras = rest
			d.Messages = append(d.Messages, m)
		}
		d.Extras = o.Rest("steps")
		return d, true
	}
	var list []json.RawMessage
	list, d.Shape, _ = messagesOf(src)
	taken := []string{d.Shape}
	if d.Shape == document.ShapeBare {
		message, rest := envelope.SplitBare(o)
		d.Extras = rest
		addMessage(d, message)
		return d, true
	}
	if text, ok := o.Text("system"); ok && side == document.Inputs {
		d.Messages, taken = append(d.Messages, document.Text(document.RoleSystem, text)), append(taken, "system")
	}
	d.Extras = o.Rest(taken...)
	d.AddEntries(list, func(raw json.RawMessage) { addMessage(d, raw) })
	return d.KeepAside()
}

func addMessage(d *document.Document, raw json.RawMessage) {
	o, _ := rawjson.ReadObject(raw)
	role, _ := o.Text("role")
	start := len(d.Messages)
	d.Messages = append(d.Messages, document.Message{Role: role, Content: []document.Block{}})
	taken := []string{"role"}
	if text, ok := o.Text("content"); ok {
		d.Messages[start].Content, taken = []document.Block{{Type: document.BlockText, Text: &text}}, append(taken, "content")
	}
	for _, key := range []string{"content", keyParts} {
		if parts, ok := rawjson.ReadArray(o.Get(key)); ok && rawjson.AllObjects(parts) {
			addParts(d, parts, role, start)
			taken = append(taken, key)
		}
	}
	m := &d.Messages[start]
	taken = append(taken, part.AddCalls(m, o)...)
	document.AddBeside(&m.Extras, o.Rest(taken...))
}

// addParts reads parts into the message at start, and tool results into messages after it, or instead of it if it has
// nothing else. In a message that the SDK shows, parts after a step with results are a message of their own.
func addParts(d *document.Document, parts []json.RawMessage, role string, start int) {
	replaced := false
	if role != document.RoleTool {
		d.Messages[start].Content = slices.Grow(d.Messages[start].Content, len(parts))
	}
	for _, o := range rawjson.Objects(parts) {
		kind, _ := o.Text("type")
		if kind == kindStep && len(d.Messages) > start+1 {
			start, replaced = len(d.Messages), false
			d.Messages = append(d.Messages, document.Message{Role: role, Content: []document.Block{}})
		}
		if kind == kindDynamic || strings.HasPrefix(kind, prefixTool) && o.Has("state") {
			addTool(d, o, kind, start)
			continue
		}
		if kind != kindResult || role == document.RoleAssistant {
			d.Messages[start].Content = part.Append(d.Messages[start].Content, o)
			continue
		}
		output := "output"
		if !o.Has(output) {
			output = "result" // Its name in version 4.
		}
		result := part.Answer(o, "tool_call_id", output, readOutput, "type")
		if len(d.Messages) == start+1 && len(d.Messages[start].Content) == 0 && !replaced {
			d.Messages[start], replaced = result, true
			continue
		}
		d.Messages = append(d.Messages, result)
	}
}

// addTool reads {"type":"tool-<name>","toolCallId","state","input","output" or "errorText"}: a call, and its result once there is
// one.
func addTool(d *document.Document, o rawjson.Object, kind string, start int) {
	executed := string(o.Get("providerExecuted")) == "true"
	call, status := document.Block{Type: document.BlockToolCall}, "success"
	if executed {
		call.Type = document.BlockServerToolCall
	}
	taken := append(call.TakeMembers(o, "tool_call_id", "id", "tool_name", "name", "input", "input", "raw_input", "input"), "type")
	if name := strings.TrimPrefix(kind, prefixTool); call.Name == nil && kind != kindDynamic {
		call.Name = &name
	}
	output := o.Get("output")
	if text := o.Get("errorText"); output == nil && text != nil {
		output, status = text, "error"
		taken = append(taken, "errorText")
	} else if output != nil {
		taken = append(taken, "output")
	}
	call.Extras = o.Rest(taken...)
	m := &d.Messages[start]
	m.Content = append(m.Content, call)
	switch {
	case output == nil:
	case executed:
		result := document.Block{Type: document.BlockServerToolResult, ToolCallID: call.ID, Status: &status, Output: output}
		m.Content = append(m.Content, result)
	default:
		text, _ := readOutput(output)
		d.Messages = append(d.Messages, document.Message{Role: document.RoleTool, ToolCallID: call.ID, Content: text})
	}
}

// readOutput reads the output of a tool: a string, {"type":"text","value"}, or any value as JSON.
func readOutput(raw json.RawMessage) ([]document.Block, bool) {
	b := document.Block{Type: document.BlockText}
	o, _ := rawjson.ReadObject(raw)
	kind, _ := o.Text("type")
	if value := o.Get("value"); kind == "content" && rawjson.IsArray(value) {
		if content, ok := part.Content(value); ok {
			return content, true
		}
	} else if len(o) == 2 && value != nil && (kind == "text" || kind == "json" || strings.HasPrefix(kind, "error-")) {
		if raw = value; kind != "text" {
			b.Extras.Put(document.KeyType, rawjson.Quote(kind))
		}
	}
	text, ok := rawjson.ReadString(raw)
	if !ok {
		text = rawjson.Compact(raw)
	}
	b.Text = &text
	return []document.Block{b}, raw != nil
}

// readResult reads {"text","reasoning","toolCalls"} or {"content":[…]}, and returns the other members.
func readResult(o rawjson.Object) (document.Message, document.Extras) {
	m := document.Message{Role: document.RoleAssistant, Content: []document.Block{}}
	var taken []string
	content, ok := part.Content(o.Get("content"))
	if ok && rawjson.IsArray(o.Get("content")) {
		m.Content, taken = append(m.Content, content...), append(taken, "content")
	} else {
		for _, key := range []string{document.BlockReasoning, document.BlockText} {
			if text, ok := o.Text(key); ok {
				m.Content, taken = append(m.Content, document.Block{Type: key, Text: &text}), append(taken, key)
			}
		}
	}
	if files, _ := rawjson.ReadArray(o.Get("files")); !ok && rawjson.AllObjects(files) {
		for _, file := range rawjson.Objects(files) {
			m.Content = part.Append(m.Content, append(rawjson.Typed(document.BlockFile), file...))
		}
		taken = append(taken, "files")
	}
	if role, ok := o.Text("role"); ok && role == document.RoleAssistant {
		taken = append(taken, "role")
	}
	taken = append(taken, part.AddCalls(&m, o)...)
	return m, o.Rest(taken...)
}

// Check validates the messages of the SDK; a result has only its parts.
func Check(v *check.Checker, src document.Source) {
	o := src.Object
	if v.Side == document.Outputs && isResult(o) {
		v.Text(o, "text", v.Base, document.RuleTextRequired, false)
		if o.Has("content") {
			checkParts(v, o, v.Base, document.RoleAssistant)
		}
		return
	}
	list, key, _ := messagesOf(src)
	checkMessage := func(o rawjson.Object, at string) {
		checkParts(v, o, at, v.Role(o, envelope.Place{Base: at}, document.RoleSystem, document.RoleUser, document.RoleAssistant, document.RoleTool))
	}
	switch key {
	case document.ShapeBare:
		checkMessage(o, v.Base)
	case document.ShapeList:
		v.Each(list, "", checkMessage)
	default:
		v.Each(list, key, checkMessage)
	}
}

func checkParts(v *check.Checker, message rawjson.Object, at, role string) {
	key := "content"
	if isUI(message) {
		key = keyParts
	}
	v.Blocks(message.Get(key), at+rawjson.Pointer(key), func(part rawjson.Object, at string) {
		if v.Part(part, at, role) == document.BlockReasoning {
			v.Text(part, "text", at, document.RuleTextRequired, true)
		}
	})
}
