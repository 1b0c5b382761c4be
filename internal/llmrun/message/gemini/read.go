package gemini

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/part"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// shapeContents is {"contents":[…]}, and shapeCandidates {"candidates":[{"content":{…}}]}.
const (
	shapeContents   = "contents"
	shapeCandidates = "candidates"
)

// candidateKey is the extra of a message for the other members of its candidate.
const candidateKey = "candidate"

// roleNames maps the roles of contents; the default is the user, or the model among candidates.
var roleNames = map[string]string{"user": document.RoleUser, "model": document.RoleAssistant, "function": document.RoleTool, "tool": document.RoleTool, "system": document.RoleSystem}

// partKinds are the members of parts. SDKs write all of them, in two spellings, with null for absent ones.
var partKinds = []string{
	"text", "inlineData", "inline_data", "fileData", "file_data", "functionCall", "function_call", "functionResponse", "function_response",
	"executableCode", "executable_code", "codeExecutionResult", "code_execution_result",
}

// Has says whether a document is a request or an answer of that provider.
func Has(src document.Source) bool {
	o := src.Object
	if src.Side == document.Outputs {
		candidates, ok := rawjson.ReadArray(o.Get("candidates"))
		told := len(candidates) > 0 || o.Has("usageMetadata") || o.Has("usage_metadata") || o.Has("promptFeedback")
		return ok && told && !slices.ContainsFunc(candidates, func(raw json.RawMessage) bool { return !isCandidate(raw) })
	}
	contents := o.Get("contents")
	list, ok := rawjson.ReadArray(contents)
	return rawjson.IsString(contents) || ok && len(list) > 0 && !slices.ContainsFunc(list, func(raw json.RawMessage) bool {
		return !rawjson.IsString(raw) && !isContent(raw)
	})
}

// isCandidate says whether a value is an object whose content, if it has one, is {"role","parts"}.
func isCandidate(raw json.RawMessage) bool {
	o, ok := rawjson.ReadObject(raw)
	content := o.Get("content")
	return ok && (rawjson.IsVoidOrAbsent(content) || isContent(content) || isRoleOnly(content))
}

// isRoleOnly says whether a content has a role and no parts, like that of an empty answer.
func isRoleOnly(raw json.RawMessage) bool {
	o, _ := rawjson.ReadObject(raw)
	return len(o) == 1 && o.Has("role")
}

// isContent says whether a value is {"role","parts"}, or a part alone.
func isContent(raw json.RawMessage) bool {
	o, _ := rawjson.ReadObject(raw)
	parts, ok := rawjson.ReadArray(o.Get("parts"))
	if ok {
		return !slices.ContainsFunc(parts, func(raw json.RawMessage) bool { return !rawjson.IsObject(raw) && !rawjson.IsString(raw) })
	}
	return rawjson.IsNull(o.Get("parts")) || !o.Has("parts") && slices.ContainsFunc(partKinds, o.Has)
}

// Read reads contents and candidates. Answers of functions become separate messages.
func Read(src document.Source) (*document.Document, bool) {
	o, side := src.Object, src.Side
	d := &document.Document{Format: document.FormatGemini, Side: side, Shape: shapeContents, Messages: []document.Message{}}
	if side == document.Outputs {
		d.Shape, d.Extras = shapeCandidates, o.Rest("candidates")
		candidates, _ := rawjson.ReadArray(o.Get("candidates"))
		for _, raw := range candidates {
			candidate, _ := rawjson.ReadObject(raw)
			at := len(d.Messages)
			addContent(d, candidate.Get("content"), document.RoleAssistant)
			if len(d.Messages) == at {
				d.Messages = append(d.Messages, document.Message{Role: document.RoleAssistant, Content: []document.Block{}})
			}
			if rest := candidate.Rest("content"); rest != nil {
				d.Messages[at].Extras.Put(candidateKey, rawjson.Object(nil).WithAll(rest).Encode())
			}
		}
		return d, true
	}
	taken := []string{"contents"}
	config, _ := rawjson.ReadObject(o.Get("config"))
	for _, key := range []string{"systemInstruction", "system_instruction"} {
		if addSystem(d, o.Get(key)) {
			taken = append(taken, key)
		}
		if addSystem(d, config.Get(key)) { // SDKs have it in the settings.
			taken = append(taken, "config")
			d.Extras.Put("config", rawjson.Object(nil).WithAll(config.Rest(key)).Encode())
		}
	}
	contents := o.Get("contents")
	list, ok := rawjson.ReadArray(contents)
	if !ok {
		list = []json.RawMessage{contents}
	}
	for _, raw := range list {
		addContent(d, raw, document.RoleUser)
	}
	for key, value := range o.Rest(taken...) {
		d.Extras.Put(key, value)
	}
	return d, true
}

// addSystem reads a system instruction, and says whether it is one.
func addSystem(d *document.Document, raw json.RawMessage) bool {
	if !rawjson.IsString(raw) && !isContent(raw) {
		return false
	}
	start := len(d.Messages)
	addContent(d, raw, document.RoleSystem)
	for i := range d.Messages[start:] {
		d.Messages[start+i].Role = document.RoleSystem
	}
	return true
}

// addContent reads a content, a part alone, or a string.
func addContent(d *document.Document, raw json.RawMessage, usual string) {
	if text, ok := rawjson.ReadString(raw); ok {
		d.Messages = append(d.Messages, document.Message{Role: usual, Content: []document.Block{{Type: document.BlockText, Text: &text}}})
		return
	}
	o, ok := rawjson.ReadObject(raw)
	if !ok {
		return
	}
	parts := []json.RawMessage{raw}
	var rest document.Extras
	if o.Has("parts") || isRoleOnly(raw) {
		parts, _ = rawjson.ReadArray(o.Get("parts"))
		taken := []string{"parts"}
		said, _ := o.Text("role")
		if role, known := roleNames[said]; known {
			usual, taken = role, append(taken, "role")
		}
		rest = o.Rest(taken...)
	}
	start := len(d.Messages)
	for _, raw := range parts {
		if text, ok := rawjson.ReadString(raw); ok {
			raw = rawjson.Of("text", rawjson.Quote(text)).Encode()
		}
		addPart(d, raw, usual, start)
	}
	if len(d.Messages) == start {
		d.Messages = append(d.Messages, document.Message{Role: usual, Content: []document.Block{}})
	}
	document.AddBeside(&d.Messages[start].Extras, rest)
}

// addPart reads a part into the message that starts at start, or into a separate one.
func addPart(d *document.Document, raw json.RawMessage, role string, start int) {
	o, _ := rawjson.ReadObject(raw)
	if response := either(o, "functionResponse", "function_response"); rawjson.IsObject(response) {
		d.Messages = append(d.Messages, readFunctionResponse(o, response))
		return
	}
	b := readPart(o)
	last := len(d.Messages) - 1
	if last < start || d.Messages[last].Role == document.RoleTool && role != document.RoleTool {
		d.Messages = append(d.Messages, document.Message{Role: role, Content: []document.Block{}})
		last++
	}
	d.Messages[last].Content = append(d.Messages[last].Content, b)
}

// either returns the value of a key in one of two spellings.
func either(o rawjson.Object, camel, snake string) json.RawMessage {
	if value := o.Get(camel); !rawjson.IsNullOrAbsent(value) {
		return value
	}
	return o.Get(snake)
}

// readFunctionResponse reads {"id","name","response"}.
func readFunctionResponse(part rawjson.Object, raw json.RawMessage) document.Message {
	o, _ := rawjson.ReadObject(raw)
	m := document.Message{Role: document.RoleTool, Content: []document.Block{}}
	taken := make([]string, 0, 2)
	if id, ok := o.Text("id"); ok {
		m.ToolCallID, taken = &id, append(taken, "id")
	}
	if response := o.Get("response"); response != nil {
		text := rawjson.Compact(response)
		m.Content, taken = []document.Block{{Type: document.BlockText, Text: &text}}, append(taken, "response")
	}
	m.Extras = o.Rest(taken...)
	document.AddBeside(&m.Extras, part.Rest("functionResponse", "function_response").WithoutVoid())
	return m
}

// readPart reads a part. Members beside its main one, such as the signature of a thought, become extras.
func readPart(o rawjson.Object) document.Block {
	var b document.Block
	var taken []string
	switch call, code, result := either(o, "functionCall", "function_call"), either(o, "executableCode", "executable_code"),
		either(o, "codeExecutionResult", "code_execution_result"); {
	case rawjson.IsString(o.Get("text")):
		b.Type, taken = document.BlockText, []string{"text"}
		if string(o.Get("thought")) == "true" {
			b.Type, taken = document.BlockReasoning, append(taken, "thought")
		}
		b.Take("text", o.Get("text"))
	case rawjson.IsObject(call):
		inner, _ := rawjson.ReadObject(call)
		b = document.Block{Type: document.BlockToolCall}
		b.Extras = inner.Rest(b.TakeMembers(inner, "id", "id", "name", "name", "args", "args")...)
		taken = []string{"functionCall", "function_call"}
	case rawjson.IsObject(code):
		name := "code_execution"
		inner, _ := rawjson.ReadObject(code)
		b = document.Block{Type: document.BlockServerToolCall, Name: &name, Args: inner.Encode()}
		taken = []string{"executableCode", "executable_code"}
	case rawjson.IsObject(result):
		inner, _ := rawjson.ReadObject(result)
		status := "error"
		if outcome, _ := inner.Text("outcome"); outcome == "OUTCOME_OK" {
			status = "success"
		}
		b = document.Block{Type: document.BlockServerToolResult, Status: &status}
		b.Extras = inner.Rest(b.TakeMembers(inner, "output", "output", "id", "tool_call_id")...)
		taken = []string{"codeExecutionResult", "code_execution_result"}
	default:
		b, taken = readMedia(o)
	}
	document.AddBeside(&b.Extras, o.Rest(taken...).WithoutVoid())
	return b
}

// readMedia reads inlineData and fileData, and keeps any other part unchanged.
func readMedia(o rawjson.Object) (document.Block, []string) {
	for _, key := range []string{"inlineData", "inline_data", "fileData", "file_data"} {
		inner, ok := rawjson.ReadObject(o.Get(key))
		if !ok {
			continue
		}
		var b document.Block
		b.Extras = inner.Rest(b.TakeMembers(inner, "mimeType", "mime_type", "mime_type", "mime_type", "data", "base64", "fileUri", "url", "file_uri", "url")...).WithoutVoid()
		b.Type = part.MediaOf(b.MimeType)
		return b, []string{key}
	}
	b := document.Block{Extras: o.Rest().WithoutVoid()}
	if said := rawjson.Object(nil).WithAll(b.Extras); len(said) > 0 {
		b.Type = said[0].Key // Such as videoMetadata; the type of a part is the name of its member.
	}
	return b, slices.Sorted(maps.Keys(o.Rest()))
}
