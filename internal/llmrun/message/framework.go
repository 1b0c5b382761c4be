package message

import (
	"encoding/json"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// listsKey is the extra for the number of messages in each list of shapeLists or shapeGenerations.
const listsKey = "lists"

// classRoles maps the framework's message classes to roles.
var classRoles = map[string]string{
	"SystemMessage": RoleSystem, "SystemMessageChunk": RoleSystem,
	"HumanMessage": RoleUser, "HumanMessageChunk": RoleUser,
	"AIMessage": RoleAssistant, "AIMessageChunk": RoleAssistant,
	"ToolMessage": RoleTool, "ToolMessageChunk": RoleTool,
	"FunctionMessage": RoleTool, "FunctionMessageChunk": RoleTool,
}

// frameworkDocument is the unwrapped form of a framework's document: its messages, a list for each prompt.
type frameworkDocument struct {
	shape string
	lists [][]json.RawMessage
	rest  Extras
}

// hasFramework says whether a document has messages of the framework.
func hasFramework(src Source) bool {
	_, ok := openFramework(src)
	return ok
}

// openFramework unwraps what the framework's tracer logs, and what programs log that use its messages.
func openFramework(src Source) (frameworkDocument, bool) {
	raw, o, side := src.Raw, src.Object, src.Side
	if o != nil && isFrameworkObject(o) {
		return frameworkDocument{shape: shapeBare, lists: [][]json.RawMessage{{raw}}}, true
	}
	if list, ok := rawjson.ReadArray(raw); ok {
		return frameworkDocument{shape: shapeList, lists: [][]json.RawMessage{list}}, areFrameworkMessages(list)
	}
	if lists, ok := rawjson.ReadArray(o.Get("generations")); ok && side == Outputs {
		d := frameworkDocument{shape: shapeGenerations, rest: o.Rest("generations")}
		if rawjson.AllObjects(lists) {
			d.lists = [][]json.RawMessage{lists}
			return d, len(lists) > 0
		}
		d.lists, ok = nestedLists(lists, rawjson.IsObject)
		return d, ok && len(lists) > 0
	}
	if prompts, ok := rawjson.ReadArray(o.Get("prompts")); ok && side == Inputs && len(prompts) > 0 {
		d := frameworkDocument{shape: shapePrompts, rest: o.Rest("prompts")}
		for _, prompt := range prompts {
			if !rawjson.IsString(prompt) {
				return d, false
			}
			d.lists = append(d.lists, []json.RawMessage{prompt})
		}
		return d, true
	}
	list, ok := rawjson.ReadArray(o.Get("messages"))
	if !ok || len(list) == 0 {
		return frameworkDocument{}, false
	}
	d := frameworkDocument{rest: o.Rest("messages")}
	if areFrameworkMessages(list) {
		d.shape, d.lists = shapeMessages, [][]json.RawMessage{list}
		return d, true
	}
	d.shape = shapeLists
	if d.lists, ok = nestedLists(list, rawjson.IsObject); !ok {
		d.lists, ok = nestedLists(list, isFrameworkMessage)
	}
	return d, ok
}

// nestedLists unwraps lists whose elements are all of the same kind.
func nestedLists(lists []json.RawMessage, is func([]byte) bool) ([][]json.RawMessage, bool) {
	all := make([][]json.RawMessage, len(lists))
	for i, raw := range lists {
		list, ok := rawjson.ReadArray(raw)
		if !ok || slices.ContainsFunc(list, func(raw json.RawMessage) bool { return !is(raw) }) {
			return nil, false
		}
		all[i] = list
	}
	return all, true
}

func areFrameworkMessages(list []json.RawMessage) bool {
	return len(list) > 0 && !slices.ContainsFunc(list, func(raw json.RawMessage) bool { return !isFrameworkMessage(raw) })
}

// isFrameworkMessage says whether a value is a constructor of a message, a message with a type instead of a role, or a pair
// of a role and a content.
func isFrameworkMessage(raw []byte) bool {
	if pair, ok := rawjson.ReadArray(raw); ok {
		return isRolePair(pair)
	}
	o, ok := rawjson.ReadObject(raw)
	return ok && isFrameworkObject(o)
}

func isFrameworkObject(o rawjson.Object) bool {
	if o.Has("lc") && rawjson.IsObject(o.Get("kwargs")) {
		return true
	}
	kind, _ := o.Text("type")
	return messageTypes[kind] && o.Has("content") && (!o.Has("role") || kind == "chat") || isDataMessage(o)
}

// isRolePair says whether a list is a role and a content, with at least one role whose name only frameworks use.
func isRolePair(pair []json.RawMessage) bool {
	if len(pair) != 2 || !rawjson.IsString(pair[1]) && !rawjson.IsArray(pair[1]) {
		return false
	}
	role, _ := rawjson.ReadString(pair[0])
	_, known := chatRoles[role]
	return known || slices.Contains(pairRoles, role)
}

// isDataMessage says whether a message is {"type","data":{"content",…}}.
func isDataMessage(o rawjson.Object) bool {
	kind, _ := o.Text("type")
	data, _ := rawjson.ReadObject(o.Get("data"))
	return messageTypes[kind] && data.Has("content")
}

// parseFramework reads {"messages":[[…]]} with one list per prompt, {"messages":[…]}, {"prompts":[…]}, messages without an
// envelope, and {"generations":[[…]]} with one list of candidates per prompt. The messages of all lists are concatenated;
// if there is more than one list, "lists" in the extras contains their lengths.
func parseFramework(src Source) (*Document, bool) {
	opened, ok := openFramework(src)
	if !ok {
		return nil, false
	}
	d := &Document{Format: FormatFramework, Side: src.Side, Shape: opened.shape, Extras: opened.rest, Messages: []Message{}}
	lengths := make([]int, len(opened.lists))
	for i, messages := range opened.lists {
		lengths[i] = len(messages)
		for _, raw := range messages {
			m, ok := parseFrameworkEntry(raw, d.Shape)
			if !ok {
				return nil, false
			}
			d.Messages = append(d.Messages, m)
		}
	}
	if _, taken := d.Extras[listsKey]; taken || len(opened.lists) == 1 {
		return d, !taken
	}
	note, err := json.Marshal(lengths)
	if err != nil {
		return nil, false
	}
	d.Extras.Put(listsKey, note)
	return d, true
}

func parseFrameworkEntry(raw json.RawMessage, shape string) (Message, bool) {
	if text, ok := rawjson.ReadString(raw); ok {
		return Message{Role: RoleUser, Content: []Block{{Type: BlockText, Text: &text}}}, true
	}
	if pair, ok := rawjson.ReadArray(raw); ok {
		return parseRolePair(pair), true
	}
	if shape == shapeGenerations {
		return parseGeneration(raw)
	}
	return parseFrameworkMessage(raw), true
}

// parseRolePair reads a role and a content.
func parseRolePair(pair []json.RawMessage) Message {
	var m Message
	m.Role, _ = rawjson.ReadString(pair[0])
	if role, ok := chatRoles[m.Role]; ok {
		m.Role = role
	}
	if m.Content, _ = takeContent(pair[1]); m.Content == nil {
		m.Content, _ = takeMixedContent(pair[1])
	}
	return m
}

// parseFrameworkMessage reads a constructor's kwargs, or a message written without its constructor. Both have content as a
// string or as parts in the model's style, and calls with parsed arguments.
func parseFrameworkMessage(raw json.RawMessage) Message {
	o, _ := rawjson.ReadObject(raw)
	kwargs, constructed := rawjson.ReadObject(o.Get("kwargs"))
	constructed = constructed && o.Has("lc")
	switch {
	case isDataMessage(o):
		return parseDataMessage(o)
	case !constructed:
		kwargs = o
	}
	var m Message
	taken := takeMessage(&m, kwargs, false)
	if content, ok := takeMixedContent(kwargs.Get("content")); ok {
		m.Content, taken = content, append(taken, "content")
	}
	if rawjson.IsNull(kwargs.Get("content")) {
		m.Content, taken = []Block{}, append(taken, "content")
	}
	if role := frameworkRole(o, constructed); role != "" {
		if m.Role != "" {
			m.Extras.Put("role", rawjson.Quote(m.Role))
		}
		m.Role = role
		if !constructed {
			taken = append(taken, "type")
		}
	}
	if addCalls(&m, kwargs.Get("tool_calls")) {
		taken = append(taken, "tool_calls")
	}
	addBeside(&m.Extras, kwargs.Rest(taken...))
	addKept(&m, kwargs.Get("additional_kwargs"))
	return m
}

// parseDataMessage reads {"type","data":{…}}.
func parseDataMessage(o rawjson.Object) Message {
	data, _ := rawjson.ReadObject(o.Get("data"))
	kind := o.Get("type")
	m := parseFrameworkMessage(append(slices.DeleteFunc(slices.Clone(data), func(m rawjson.Member) bool { return m.Key == "type" }),
		rawjson.Member{Key: "type", Value: kind}).Encode())
	addBeside(&m.Extras, o.Rest("data", "type"))
	return m
}

// takeMixedContent reads a list in which some parts are plain strings.
func takeMixedContent(raw json.RawMessage) ([]Block, bool) {
	list, ok := rawjson.ReadArray(raw)
	if !ok || rawjson.AllObjects(list) {
		return nil, false
	}
	blocks := make([]Block, 0, len(list))
	for _, raw := range list {
		text, isText := rawjson.ReadString(raw)
		switch {
		case isText:
			blocks = append(blocks, Block{Type: BlockText, Text: &text})
		case rawjson.IsObject(raw):
			blocks = appendPart(blocks, raw)
		default:
			return nil, false
		}
	}
	return blocks, true
}

// frameworkRole returns the role for the class or the type of a message.
func frameworkRole(o rawjson.Object, constructed bool) string {
	if !constructed {
		kind, _ := o.Text("type")
		return typeRoles[kind]
	}
	id, _ := rawjson.ReadArray(o.Get("id"))
	if len(id) == 0 {
		return ""
	}
	class, _ := rawjson.ReadString(id[len(id)-1])
	return classRoles[class]
}

// parseGeneration reads {"message":{…},"text","generationInfo"}, or a text without a message.
func parseGeneration(raw json.RawMessage) (Message, bool) {
	o, _ := rawjson.ReadObject(raw)
	if message := o.Get("message"); rawjson.IsObject(message) {
		m := parseFrameworkMessage(message)
		rest := o.Rest("message")
		if rest == nil {
			return m, true
		}
		free := m.Extras[generationKey] == nil
		m.Extras.Put(generationKey, rawjson.Object(nil).WithAll(rest).Encode())
		return m, free
	}
	m := Message{Role: RoleAssistant, Extras: o.Rest()}
	if text, ok := o.Text("text"); ok {
		m.Content, m.Extras = []Block{{Type: BlockText, Text: &text}}, o.Rest("text")
	}
	return m, true
}
