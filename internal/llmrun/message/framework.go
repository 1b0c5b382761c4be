package message

import (
	"encoding/json"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Layout and extra keys of the framework format.
const (
	// layoutConstructor is what stands beside the kwargs of a constructor: lc, type, id.
	layoutConstructor = "constructor"
	// layoutLists is how many messages each list of ShapeLists or ShapeGenerations has.
	layoutLists = "lists"
	// generationKey is the extra of a message that holds what its generation says beside it: text, generationInfo.
	generationKey = "generation"
	// layoutMessage is noteAbsent for a generation that has no message but a text.
	layoutMessage = "message"
)

// classRoles are the roles of the framework's message classes.
var classRoles = map[string]string{
	"SystemMessage": RoleSystem, "SystemMessageChunk": RoleSystem,
	"HumanMessage": RoleUser, "HumanMessageChunk": RoleUser,
	"AIMessage": RoleAssistant, "AIMessageChunk": RoleAssistant,
	"ToolMessage": RoleTool, "ToolMessageChunk": RoleTool,
	"FunctionMessage": RoleTool, "FunctionMessageChunk": RoleTool,
}

// typeRoles are the roles of messages that the framework writes as {"type","content",…}.
var typeRoles = map[string]string{
	"system": RoleSystem, "human": RoleUser, "ai": RoleAssistant, "tool": RoleTool, "function": RoleTool,
	"AIMessageChunk": RoleAssistant, "HumanMessageChunk": RoleUser, "SystemMessageChunk": RoleSystem, "ToolMessageChunk": RoleTool,
}

// messageTypes are the types of typeRoles, and "chat", whose role stands beside it.
var messageTypes = func() map[string]bool {
	types := map[string]bool{"chat": true}
	for kind := range typeRoles {
		types[kind] = true
	}
	return types
}()

// isFramework says whether the messages are wrapped by the framework's tracer.
func isFramework(o rawjson.Object, side Side) bool {
	if lists, ok := rawjson.ReadArray(o.Get("generations")); ok && side == Outputs {
		return len(lists) > 0 && allLists(lists, rawjson.IsObject)
	}
	list, ok := rawjson.ReadArray(o.Get("messages"))
	if !ok || len(list) == 0 {
		return false
	}
	return allLists(list, rawjson.IsObject) || !slices.ContainsFunc(list, func(raw json.RawMessage) bool { return !isFrameworkMessage(raw) })
}

func allLists(lists []json.RawMessage, is func([]byte) bool) bool {
	for _, raw := range lists {
		list, ok := rawjson.ReadArray(raw)
		if !ok || slices.ContainsFunc(list, func(raw json.RawMessage) bool { return !is(raw) }) {
			return false
		}
	}
	return true
}

// isFrameworkMessage says whether a value is a constructor, or a message that has a type for a role.
func isFrameworkMessage(raw []byte) bool {
	o, ok := rawjson.ReadObject(raw)
	if !ok {
		return false
	}
	if o.Has("lc") && rawjson.IsObject(o.Get("kwargs")) {
		return true
	}
	kind, _ := o.Text("type")
	return messageTypes[kind] && o.Has("content") && (!o.Has("role") || kind == "chat")
}

// parseFramework reads {"messages":[[…]]} with one list per prompt, {"messages":[…]}, and {"generations":[[…]]} with one
// list of candidates per prompt. The messages of all lists follow each other; with more than one list, "lists" among the
// extras says how many are whose.
func parseFramework(raw json.RawMessage, side Side) (*Document, bool) {
	o, ok := rawjson.ReadObject(raw)
	if !ok || !isFramework(o, side) {
		return nil, false
	}
	d := &Document{Format: FormatFramework, Side: side, Shape: ShapeGenerations}
	key := "generations"
	if !o.Has(key) || side == Inputs {
		key, d.Shape = "messages", ShapeLists
	}
	d.Extras = o.Rest(key)
	lists, _ := rawjson.ReadArray(o.Get(key))
	if !rawjson.IsArray(lists[0]) {
		d.Shape, lists = ShapeMessages, []json.RawMessage{o.Get(key)}
	}
	lengths := make([]int, len(lists))
	d.Messages = []Message{}
	for i, raw := range lists {
		messages, _ := rawjson.ReadArray(raw)
		lengths[i] = len(messages)
		for _, raw := range messages {
			m, ok := parseFrameworkEntry(raw, d.Shape)
			if !ok {
				return nil, false
			}
			d.Messages = append(d.Messages, m)
		}
	}
	if _, taken := d.Extras[layoutLists]; taken || len(lists) == 1 {
		return d, !taken
	}
	note, err := json.Marshal(lengths)
	if err != nil {
		return nil, false
	}
	d.Extras.Put(layoutLists, note)
	return d, true
}

func parseFrameworkEntry(raw json.RawMessage, shape string) (Message, bool) {
	if shape == ShapeGenerations {
		return parseGeneration(raw)
	}
	return parseFrameworkMessage(raw), true
}

// parseFrameworkMessage reads a constructor's kwargs, or a message written without its constructor. Both hold content as
// a string or as parts in whatever style the model has, and calls with parsed arguments.
func parseFrameworkMessage(raw json.RawMessage) Message {
	o, _ := rawjson.ReadObject(raw)
	kwargs, constructed := rawjson.ReadObject(o.Get("kwargs"))
	constructed = constructed && o.Has("lc")
	if !constructed {
		kwargs = o
	}
	var m Message
	taken := takeMessage(&m, kwargs, noteString, parsePart, false)
	if content, ok := takeMixedContent(kwargs.Get("content")); ok {
		m.Content, taken = content, append(taken, "content")
		m.Layout.put(layoutContent, noteArray)
	}
	if rawjson.IsNull(kwargs.Get("content")) {
		m.Layout.put(layoutContent, noteNull)
		m.Content, taken = []Block{}, append(taken, "content")
	} else if !slices.Contains(taken, "content") {
		m.Layout.put(layoutContent, noteAbsent)
	}
	if role := frameworkRole(o, constructed); role != "" {
		if m.Role != "" {
			m.Extras.Put("role", rawjson.Quote(m.Role))
		}
		m.Role = role
		m.Layout.put(layoutRole, noteAbsent)
	}
	if constructed {
		beside := o.Rest("kwargs")
		m.Layout.put(layoutConstructor, rawjson.Object(nil).WithAll(beside).Encode())
	} else if m.Layout[layoutRole] != nil {
		m.Layout.put(layoutType, o.Get("type"))
		taken = append(taken, "type")
	}
	if m.addCalls(kwargs.Get("tool_calls"), callFlat) {
		taken = append(taken, "tool_calls")
	}
	for key, value := range kwargs.Rest(taken...) {
		m.Extras.Put(key, value)
	}
	return m
}

// takeMixedContent reads a list in which some parts are texts without an object around them.
func takeMixedContent(raw json.RawMessage) ([]Block, bool) {
	list, ok := rawjson.ReadArray(raw)
	if !ok || allObjects(list) {
		return nil, false
	}
	blocks := make([]Block, len(list))
	for i, raw := range list {
		text, isText := rawjson.ReadString(raw)
		switch {
		case isText:
			blocks[i] = Block{Type: BlockText, Text: &text, Layout: Layout{layoutRaw: raw}}
		case rawjson.IsObject(raw):
			blocks[i] = parsePart(raw)
		default:
			return nil, false
		}
	}
	return blocks, true
}

// frameworkRole is the role that the class or the type of a message stands for.
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
	m := Message{Role: RoleAssistant, Layout: Layout{layoutMessage: noteAbsent}, Extras: o.Rest()}
	if text, ok := o.Text("text"); ok {
		m.Content, m.Extras = []Block{{Type: BlockText, Text: &text}}, o.Rest("text")
	}
	return m, true
}
