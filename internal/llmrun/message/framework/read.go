package framework

import (
	"cmp"
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

// listsKey is the extra for the number of messages in each list of ShapeLists or ShapeGenerations.
const listsKey = "lists"

// unwrapped is the unwrapped form of a framework's document: its messages, a list for each prompt.
type unwrapped struct {
	shape, key string // key is the member with the messages; empty if they are the document
	nested     bool   // the member has the lists, and not the only one
	lists      [][]json.RawMessage
	rest       document.Extras
}

// layouts are the members with messages, generations or prompts: what a list of them is, and what each element of several lists.
var layouts = []struct {
	sides, key, shape, nested string // sides are the halves of runs that have it
	are                       func([]json.RawMessage) bool
	is                        func([]byte) bool
}{
	{"inputs outputs", "", document.ShapeList, "", AreMessages, func([]byte) bool { return false }},
	{"outputs", "generations", document.ShapeGenerations, document.ShapeGenerations, rawjson.AllObjects, rawjson.IsObject},
	{"inputs", "prompts", "", document.ShapePrompts, func([]json.RawMessage) bool { return false }, rawjson.IsString},
	{"inputs outputs", "messages", document.ShapeMessages, document.ShapeLists, AreMessages, isObjectOrMessage},
}

// Has reports whether a document has messages of the framework.
func Has(src document.Source) bool {
	_, ok := unwrap(src)
	return ok
}

// unwrap unwraps what the framework's tracer logs, and what programs log that use its messages.
func unwrap(src document.Source) (unwrapped, bool) {
	if isMessageObject(src.Object) {
		return unwrapped{shape: document.ShapeBare, lists: [][]json.RawMessage{{src.Raw}}}, true
	}
	for _, l := range layouts {
		list, ok := src.List(l.key)
		if !ok || len(list) == 0 || !strings.Contains(l.sides, src.Side.String()) {
			continue
		}
		d := unwrapped{shape: l.shape, key: l.key, lists: [][]json.RawMessage{list}, rest: src.Object.Rest(l.key)}
		if !l.are(list) {
			d.shape, d.nested = l.nested, true
			d.lists, ok = nestedLists(list, l.is)
		}
		return d, ok
	}
	return unwrapped{}, false
}

// nestedLists unwraps lists whose elements are all of the same kind. A text is a list by itself.
func nestedLists(lists []json.RawMessage, is func([]byte) bool) ([][]json.RawMessage, bool) {
	all := make([][]json.RawMessage, len(lists))
	for i, raw := range lists {
		list, ok := rawjson.ReadArray(raw)
		if rawjson.IsString(raw) {
			list, ok = lists[i:i+1], true
		}
		isOther := func(raw json.RawMessage) bool { return !is(raw) && (rawjson.IsObject(raw) || rawjson.IsString(raw)) }
		if !ok || slices.ContainsFunc(list, isOther) {
			return nil, false
		}
		all[i] = list
	}
	return all, true
}

// AreMessages reports whether a list has messages of the framework, among which programs also put others.
func AreMessages(list []json.RawMessage) bool {
	var o rawjson.Object
	return slices.ContainsFunc(list, func(raw json.RawMessage) bool {
		return o.Reuse(raw) && isMessageObject(o) || rawjson.IsArray(raw) && isMessage(raw)
	})
}

// isMessage reports whether a value is a constructor of a message, a message with a type instead of a role, or a pair
// of a role and a content.
func isMessage(raw []byte) bool {
	if pair, ok := rawjson.ReadArray(raw); ok {
		return isRolePair(pair)
	}
	return isMessageObject.Fits(raw)
}

func isObjectOrMessage(raw []byte) bool { return rawjson.IsObject(raw) || isMessage(raw) }

var isMessageObject, isDataMessage = shape.Named("framework_message"), shape.Named("framework_data")

// isRolePair reports whether a list is a role and a content, with at least one role whose name only frameworks use.
func isRolePair(pair []json.RawMessage) bool {
	if len(pair) != 2 || !rawjson.IsString(pair[1]) && !rawjson.IsArray(pair[1]) {
		return false
	}
	role, _ := rawjson.ReadString(pair[0])
	_, known := envelope.ChatRoles[role]
	return known || slices.Contains(envelope.PairRoles, role)
}

// Read reads {"messages":[[…]]} with one list per prompt, {"messages":[…]}, {"prompts":[…]}, messages without an
// envelope, and {"generations":[[…]]} with one list of candidates per prompt. The messages of all lists are concatenated;
// if there is more than one list, "lists" in the extras contains their lengths.
func Read(src document.Source) (*document.Document, bool) {
	opened, ok := unwrap(src)
	if !ok {
		return nil, false
	}
	d := &document.Document{Format: document.FormatFramework, Side: src.Side, Shape: opened.shape, Extras: opened.rest, Messages: []document.Message{}}
	lengths := make([]int, len(opened.lists))
	free := true
	for i, messages := range opened.lists {
		before := len(d.Messages)
		d.AddEntries(messages, func(raw json.RawMessage) {
			m, ok := readEntry(raw, d.Shape)
			d.Messages, free = append(d.Messages, m), free && ok
		}, rawjson.IsString, isMessage)
		lengths[i] = len(d.Messages) - before
	}
	if d, ok = d.KeepAside(); !ok || !free {
		return nil, false
	}
	if _, taken := d.Extras[listsKey]; taken || len(opened.lists) == 1 {
		return d, !taken
	}
	note, _ := json.Marshal(lengths)
	d.Extras.Put(listsKey, note)
	return d, true
}

func readEntry(raw json.RawMessage, shape string) (document.Message, bool) {
	if text, ok := rawjson.ReadString(raw); ok {
		return document.Text(document.RoleUser, text), true
	}
	if pair, ok := rawjson.ReadArray(raw); ok {
		return readRolePair(pair), true
	}
	if shape == document.ShapeGenerations {
		return readGeneration(raw)
	}
	return readMessage(raw), true
}

func readRolePair(pair []json.RawMessage) document.Message {
	var m document.Message
	envelope.TakeMessage(&m, rawjson.Of("role", pair[0]).With("content", pair[1]), true)
	m.Role = cmp.Or(envelope.ChatRoles[m.Role], m.Role)
	return m
}

// readMessage reads a constructor's kwargs, or a message written without its constructor. Both have content as a
// string or as parts in the model's style, and calls with parsed arguments.
func readMessage(raw json.RawMessage) document.Message {
	o, _ := rawjson.ReadObject(raw)
	kwargs, constructed := rawjson.ReadObject(o.Get("kwargs"))
	constructed = constructed && o.Has("lc")
	switch {
	case isDataMessage.Fits(raw):
		return readDataMessage(o)
	case !constructed:
		kwargs = o
	}
	var m document.Message
	taken := envelope.TakeMessage(&m, kwargs, false)
	if rawjson.IsNull(kwargs.Get("content")) {
		m.Content, taken = []document.Block{}, append(taken, "content")
	}
	if role := roleOf(o, constructed); role != "" {
		if m.Role != "" {
			m.Extras.Put("role", rawjson.Quote(m.Role))
		}
		m.Role = role
		if !constructed {
			taken = append(taken, "type")
		}
	}
	taken = append(taken, part.AddCalls(&m, kwargs)...)
	document.AddBeside(&m.Extras, kwargs.Rest(taken...))
	if constructed {
		document.AddBeside(&m.Extras, o.Rest("lc", "type", "id", "kwargs"))
	}
	addKept(&m, kwargs.Get("additional_kwargs"))
	return m
}

// readDataMessage reads {"type","data":{…}}.
func readDataMessage(o rawjson.Object) document.Message {
	data, _ := rawjson.ReadObject(o.Get("data"))
	kind := o.Get("type")
	m := readMessage(data.Without("type").With("type", kind).Encode())
	document.AddBeside(&m.Extras, o.Rest("data", "type"))
	return m
}

// roleOf returns the role for the class or the type of a message.
func roleOf(o rawjson.Object, constructed bool) string {
	if constructed {
		return envelope.TypeRole(classOf(o))
	}
	kind, _ := o.Text("type")
	return envelope.TypeRole(kind)
}

func classOf(o rawjson.Object) string {
	id, _ := rawjson.ReadArray(o.Get("id"))
	if len(id) == 0 {
		return ""
	}
	class, _ := rawjson.ReadString(id[len(id)-1])
	return class
}

// readGeneration reads {"message":{…},"text","generationInfo"}, or a text without a message.
func readGeneration(raw json.RawMessage) (document.Message, bool) {
	o, _ := rawjson.ReadObject(raw)
	if message := o.Get("message"); rawjson.IsObject(message) {
		m := readMessage(message)
		rest := o.Rest("message")
		isFree := rest == nil || m.Extras[envelope.GenerationKey] == nil
		m.Extras.PutObject(envelope.GenerationKey, rest)
		return m, isFree
	}
	m := document.Message{Role: document.RoleAssistant, Extras: o.Rest()}
	if text, ok := o.Text("text"); ok {
		m.Content, m.Extras = []document.Block{{Type: document.BlockText, Text: &text}}, o.Rest("text")
	}
	return m, true
}

// addKept reads reasoning and calls from additional_kwargs, where older versions of the framework, and some of its models,
// store only that. Both remain extras as well.
func addKept(m *document.Message, raw json.RawMessage) {
	kept, ok := rawjson.ReadObject(raw)
	if !ok || m.Role != document.RoleAssistant {
		return
	}
	var beside document.Message
	envelope.TakeBeside(&beside, &beside, kept)
	has := func(kind string) bool {
		return slices.ContainsFunc(m.Content, func(b document.Block) bool { return b.Type == kind })
	}
	reasons, calls := has(document.BlockReasoning), has(document.BlockToolCall)
	for _, b := range beside.Content {
		switch {
		case b.Type == document.BlockReasoning && !reasons && *b.Text != "":
			m.Content, reasons = slices.Insert(m.Content, 0, b), true
		case b.Type == document.BlockToolCall && !calls:
			m.Content = append(m.Content, b)
		}
	}
}

// Check validates the messages of the framework in any envelope.
func Check(v *check.Checker, src document.Source) {
	d, _ := unwrap(src)
	if d.shape == document.ShapePrompts {
		return // They are strings.
	}
	at := v.Base
	if d.key != "" {
		at += rawjson.Pointer(d.key)
	}
	for i, list := range d.lists {
		for j, raw := range list {
			switch {
			case d.shape == document.ShapeBare:
				checkMessage(v, raw, at)
			case d.nested:
				checkEntry(v, raw, at+rawjson.Pointer(i, j), d.shape)
			default:
				checkEntry(v, raw, at+rawjson.Pointer(j), d.shape)
			}
		}
	}
}

func checkEntry(v *check.Checker, raw json.RawMessage, at, shape string) {
	if shape != document.ShapeGenerations {
		checkMessage(v, raw, at)
		return
	}
	o, _ := rawjson.ReadObject(raw)
	if message := o.Get("message"); rawjson.IsObject(message) {
		checkMessage(v, message, at+"/message")
	} else {
		v.Text(o, "text", at, document.RuleTextRequired, true)
	}
}

// checkMessage validates a message by its class or type. A message of an unknown class must have a role.
func checkMessage(v *check.Checker, raw json.RawMessage, at string) {
	o, _ := rawjson.ReadObject(raw)
	kwargs, constructed := rawjson.ReadObject(o.Get("kwargs"))
	constructed = constructed && o.Has("lc")
	if kind, _ := o.Text("type"); constructed && classOf(o) == "RemoveMessage" || kind == "remove" {
		return // It removes a message from a list, and has neither a role nor content.
	}
	if !rawjson.IsObject(raw) && !rawjson.IsString(raw) && !isMessage(raw) {
		v.NoMessage(raw, at)
		return
	}
	role := roleOf(o, constructed)
	p := envelope.Place{Base: at}
	switch {
	case constructed:
		o, p = kwargs, envelope.Place{Base: at + "/kwargs"}
	case isDataMessage.Fits(raw):
		o, _ = rawjson.ReadObject(o.Get("data"))
		p = envelope.Place{Base: at + "/data"}
	case rawjson.IsArray(raw):
		return // A pair of a role and a content has no further members.
	}
	if said, ok := o.Text("role"); role == "" && ok {
		role = said
	}
	if role == "" {
		v.Add(p.Member("role"), document.RuleRoleRequired, "neither the class nor the type of the message determines its role",
			"use SystemMessage, HumanMessage, AIMessage or ToolMessage, or set role")
	}
	list, _ := rawjson.ReadArray(o.Get("content"))
	isData := role == document.RoleTool && part.IsData(o.Get("content"))
	if !isData && !slices.ContainsFunc(list, func(raw json.RawMessage) bool { return rawjson.IsString(raw) }) {
		v.Blocks(o.Get("content"), p.Member("content"), func(b rawjson.Object, at string) {
			v.Text(b, "type", at, document.RuleBlockType, true)
		})
	}
	v.ToolCalls(o.Get("tool_calls"), p.Member("tool_calls"), role, true)
	v.ToolCallID(o, p, role)
	v.Usage(o.Get("usage_metadata"), p.Member("usage_metadata"))
	v.EndMessage()
}
