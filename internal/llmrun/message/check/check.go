package check

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/envelope"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Checker collects the problems of one document.
type Checker struct {
	Side document.Side
	// Base is the pointer of the document within a wrapper.
	Base     string
	Problems []document.Problem
	// more counts the problems that aren't listed.
	more int
	// Calls and serverCalls are the calls so far. Those of a message apply to the messages after it, so those of the
	// current one are kept in pending.
	Calls, ServerCalls, pending ids
}

// Add notes a problem.
func (v *Checker) Add(at, rule, message, remedy string) {
	if len(v.Problems) == document.MaxListed {
		v.more++
		return
	}
	v.Problems = append(v.Problems, document.Problem{Pointer: at, Rule: rule, Message: message, Remedy: remedy})
}

// All returns the list of problems, with the number of omitted ones.
func (v *Checker) All() []document.Problem {
	if v.more == 0 {
		return v.Problems
	}
	return append(v.Problems, document.Problem{
		Rule: document.RuleMoreProblems, Message: strconv.Itoa(v.more) + " more problems are not listed", Remedy: "correct the listed problems first",
	})
}

// ids are IDs of calls in order.
type ids struct {
	known map[string]bool
	order []string
}

func (i *ids) Add(id string) {
	if i.known == nil {
		i.known = map[string]bool{}
	}
	if !i.known[id] {
		i.known[id], i.order = true, append(i.order, id)
	}
}

func (i *ids) Has(id string) bool { return i.known[id] }

// Hint appends the valid IDs to a remedy.
func (i *ids) Hint(remedy string) string {
	if len(i.order) == 0 {
		return remedy
	}
	names := make([]string, 0, shownIDs+1)
	for _, id := range i.order[:min(shownIDs, len(i.order))] {
		names = append(names, rawjson.Name(id))
	}
	if len(i.order) > shownIDs {
		names = append(names, "…")
	}
	return remedy + ": " + strings.Join(names, ", ")
}

// Envelope validates the messages of an envelope, and the system prompt and the usage beside them.
func (v *Checker) Envelope(src document.Source, message func(*Checker, rawjson.Object, envelope.Place)) {
	e, _ := envelope.Open(src)
	v.OptionalBlocks(src.Object, "system", v.Base, func(b rawjson.Object, at string) { v.Part(b, at, document.RoleSystem) })
	for i, o := range rawjson.Objects(e.Messages) {
		if !rawjson.IsObject(e.Messages[i]) {
			v.NoMessage(e.Messages[i], e.Place(v.Base, i).Base)
			continue
		}
		message(v, o, e.Place(v.Base, i))
		v.Misplaced(o, "content", "parts", e.Place(v.Base, i).Base)
		v.EndMessage()
	}
	v.Usage(e.Rest["usage_metadata"], v.Base+"/usage_metadata")
}

// Each validates the messages in the list under a key; without one, the list is the document. Others are valid as they are.
func (v *Checker) Each(list []json.RawMessage, key string, message func(o rawjson.Object, at string), others ...func([]byte) bool) {
	at := v.Base
	if key != "" {
		at += rawjson.Pointer(key)
	}
	for i, o := range rawjson.Objects(list) {
		at := at + rawjson.Pointer(i)
		switch {
		case rawjson.IsObject(list[i]):
			message(o, at)
			v.EndMessage()
		case !slices.ContainsFunc(others, func(is func([]byte) bool) bool { return is(list[i]) }):
			v.NoMessage(list[i], at)
		}
	}
}

// NoMessage reports an entry of a list of messages that isn't one.
func (v *Checker) NoMessage(raw json.RawMessage, at string) {
	v.Add(at, document.RuleMessageObject, "a message is "+rawjson.Show(raw)+", not an object", `write it as {"role": …, "content": […]}`)
}

// EndMessage adds the calls of a message to those that later messages can refer to.
func (v *Checker) EndMessage() {
	for _, id := range v.pending.order {
		v.Calls.Add(id)
	}
	v.pending = ids{}
}

// Role validates the role and returns it.
func (v *Checker) Role(o rawjson.Object, p envelope.Place, roles ...string) string {
	raw := o.Get("role")
	role, ok := rawjson.ReadString(raw)
	switch {
	case raw == nil:
		v.Add(p.Member("role"), document.RuleRoleRequired, "the message has no role", "set it to "+Alternatives(roles))
	case !ok:
		v.Add(p.Member("role"), document.RuleRoleKnown, "the role is "+rawjson.Show(raw)+", not a string", "set it to "+Alternatives(roles))
	case !slices.Contains(roles, role):
		v.Add(p.Member("role"), document.RuleRoleKnown, "unknown role "+rawjson.Name(role), "set it to "+Alternatives(roles))
	}
	return role
}

// Blocks validates that content exists and is a string or a list of objects, and passes on the objects.
func (v *Checker) Blocks(content json.RawMessage, at string, block func(rawjson.Object, string)) {
	if content == nil {
		v.Add(at, document.RuleContentRequired, "the message has no content", "set it to a list of typed blocks, which may be empty")
		return
	}
	if rawjson.IsString(content) {
		return
	}
	list, ok := rawjson.ReadArray(content)
	if !ok {
		v.Add(at, document.RuleContentBlocks, "the content is "+rawjson.Show(content)+", not a list of blocks", `write it as [{"type": "text", "text": …}]`)
		return
	}
	for i, o := range rawjson.Objects(list) {
		at := at + rawjson.Pointer(i)
		if !rawjson.IsObject(list[i]) {
			v.Add(at, document.RuleContentBlocks, "a block is "+rawjson.Show(list[i])+", not an object", `write it as {"type": "text", "text": …}`)
			continue
		}
		block(o, at)
	}
}

// OptionalBlocks is Blocks for content that may be absent.
func (v *Checker) OptionalBlocks(o rawjson.Object, key, at string, block func(rawjson.Object, string)) {
	if content := o.Get(key); !rawjson.IsNullOrAbsent(content) {
		v.Blocks(content, at+rawjson.Pointer(key), block)
	}
}

// Misplaced reports content under a key that the format doesn't read, unless there is content under its own key.
func (v *Checker) Misplaced(o rawjson.Object, own, other, at string) {
	if rawjson.IsVoidOrAbsent(o.Get(own)) && !rawjson.IsVoidOrAbsent(o.Get(other)) {
		v.Add(at+rawjson.Pointer(other), document.RuleContentBlocks, "the format does not read "+other, "move it to "+own)
	}
}

// Text validates a member that must be a string; only a required one must exist.
func (v *Checker) Text(o rawjson.Object, key, at, rule string, required bool) (string, bool) {
	key, raw := o.Find(key)
	s, ok := rawjson.ReadString(raw)
	switch {
	case ok:
	case raw != nil:
		v.Add(at+rawjson.Pointer(key), rule, key+" is "+rawjson.Show(raw)+", not a string", "write it as a string")
	case required:
		v.Add(at+rawjson.Pointer(key), rule, key+" is missing", "set it to a string")
	}
	return s, ok
}

// Object validates a required member that must be an object.
func (v *Checker) Object(o rawjson.Object, key, at, rule string) {
	raw := o.Get(key)
	switch {
	case raw == nil:
		v.Add(at+rawjson.Pointer(key), rule, key+" is missing", "set it to an object, or {} for no arguments")
	case !rawjson.IsObject(raw):
		v.Add(at+rawjson.Pointer(key), rule, key+" is "+rawjson.Show(raw)+", not an object", "write it as an object")
	}
}

// Call records the ID of a call; only assistants' calls can be answered.
func (v *Checker) Call(id, at, role string) {
	if v.Calls.Has(id) || v.pending.Has(id) {
		v.Add(at, document.RuleToolCallIDUnique, "the id "+rawjson.Name(id)+" is already used by an earlier call", "give each call a unique ID")
	}
	if role == document.RoleAssistant {
		v.pending.Add(id)
	}
}

// Answer validates the ID of the call that something answers.
func (v *Checker) Answer(id, at string) {
	if !v.Calls.Has(id) {
		v.Add(at, document.RuleToolCallIDKnown, "no assistant message before this one has a tool call with the id "+rawjson.Name(id),
			v.Calls.Hint("set it to the ID of a call in an earlier assistant message"))
	}
}

// shownIDs is the number of IDs that a remedy lists.
const shownIDs = 5

// Alternatives lists words of which any will do.
func Alternatives[S ~string](words []S) string {
	var list strings.Builder
	for i, word := range words {
		switch {
		case i == len(words)-1:
			list.WriteString(" or ")
		case i > 0:
			list.WriteString(", ")
		}
		list.WriteString(string(word))
	}
	return list.String()
}

// ToolCalls validates tool_calls beside the content, which is another location for an assistant's calls. They have a function, unless
// they may be flat.
func (v *Checker) ToolCalls(raw json.RawMessage, at, role string, flat bool) {
	list, ok := rawjson.ReadArray(raw)
	if !ok && !rawjson.IsNullOrAbsent(raw) {
		v.Add(at, document.RuleToolCallArgs, "tool_calls is "+rawjson.Show(raw)+", not a list", "write it as a list of calls")
	}
	for i, raw := range list {
		at := at + rawjson.Pointer(i)
		switch call, ok := rawjson.ReadObject(raw); {
		case !ok:
			v.Add(at, document.RuleToolCallArgs, "a call is "+rawjson.Show(raw)+", not an object", `write it as {"id", "type", "function"}`)
		case flat && !call.Has("function"):
			v.ToolCall(call, at, role)
		default:
			v.FunctionCall(call, at, role)
		}
	}
}

// ToolCallID validates the ID of the call that a message answers.
func (v *Checker) ToolCallID(o rawjson.Object, p envelope.Place, role string) {
	key, _ := o.Find("tool_call_id")
	at := p.Member(key)
	id, ok := v.Text(o, "tool_call_id", p.Base, document.RuleToolCallID, false)
	switch {
	case !ok:
	case role != document.RoleTool:
		v.Add(at, document.RuleToolCallIDRole, "tool_call_id "+rawjson.Name(id)+" is set on a message with role "+rawjson.Name(role),
			"set the role to tool, or remove tool_call_id")
	default:
		v.Answer(id, at)
	}
}

// ToolCall validates a call of the normal form.
func (v *Checker) ToolCall(o rawjson.Object, at, role string) {
	v.Text(o, "name", at, document.RuleToolCallName, false)
	v.Object(o, "args", at, document.RuleToolCallArgs)
	if id, ok := v.Text(o, "id", at, document.RuleToolCallID, false); ok {
		v.Call(id, at+"/id", role)
	}
}

// FunctionCall validates an entry of tool_calls.
func (v *Checker) FunctionCall(o rawjson.Object, at, role string) {
	function, _ := rawjson.ReadObject(o.Get("function"))
	// The provider whose calls have an object as their arguments doesn't give them IDs: answers name the tool.
	if id, ok := v.Text(o, "id", at, document.RuleToolCallID, !rawjson.IsObject(function.Get("arguments"))); ok {
		v.Call(id, at+"/id", role)
	}
	if kind, _ := o.Text("type"); kind != "custom" {
		v.Function(o.Get("function"), at+"/function")
	}
}

// Function validates {"name", "arguments"}.
func (v *Checker) Function(raw json.RawMessage, at string) {
	o, ok := rawjson.ReadObject(raw)
	if !ok {
		v.Add(at, document.RuleToolCallName, "the call has no function", `write it as {"name": …, "arguments": "{…}"}`)
		return
	}
	v.Text(o, "name", at, document.RuleToolCallName, true)
	if rawjson.IsObject(o.Get("arguments")) {
		return
	}
	text, ok := v.Text(o, "arguments", at, document.RuleToolCallArgs, true)
	if ok && text != "" && (!json.Valid([]byte(text)) || !rawjson.IsObject([]byte(text))) {
		v.Add(at+"/arguments", document.RuleToolCallArgs, "the arguments are not the JSON of an object",
			"write the arguments as the text of a JSON object")
	}
}
