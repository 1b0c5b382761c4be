package message

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// reduceChat combines chunks of chat completions into a completion: {"choices":[{"message":{…}}]}. For members in several
// chunks, the last value that isn't null counts, such as the usage of the last chunk.
func reduceChat(chunks []json.RawMessage) (json.RawMessage, error) {
	s := chatStream{top: &partial{}, choices: map[int]*chatChoice{}}
	s.read(chunks, s.add)
	s.nameObject()
	if len(s.choices) > 0 {
		choices := make([]json.RawMessage, 0, len(s.choices))
		for _, i := range slices.Sorted(maps.Keys(s.choices)) {
			choices = append(choices, s.choices[i].encode())
		}
		s.top.set("choices", rawjson.EncodeArray(choices))
	}
	return s.finish(FormatChatCompletions, s.top)
}

type chatStream struct {
	stream
	top     *partial
	choices map[int]*chatChoice
}

// chatObjects maps the object names of chunks to those of complete answers.
var chatObjects = map[string]string{"chat.completion.chunk": "chat.completion"}

func (s *chatStream) nameObject() {
	if name, ok := rawjson.ReadString(s.top.get("object")); ok && chatObjects[name] != "" {
		s.top.set("object", rawjson.Quote(chatObjects[name]))
	}
}

func (s *chatStream) add(o rawjson.Object) bool {
	if failure := o.Get(keyError); !isNullOrAbsent(failure) && !o.Has("choices") {
		return s.fail(failure)
	}
	choices, ok := rawjson.ReadArray(o.Get("choices"))
	if !ok || !allObjects(choices) {
		return false
	}
	s.top.add(o, "choices")
	for position, raw := range choices {
		choice, _ := rawjson.ReadObject(raw)
		i, ok := choice.Index("index")
		if !ok {
			i = position
		}
		if s.choices[i] == nil {
			s.choices[i] = newChatChoice(i)
		}
		s.choices[i].add(choice)
	}
	return true
}

// chatChoice is a choice that arrives in pieces.
type chatChoice struct {
	own, message, logprobs *partial
	audio, functionCall    *partial
	calls                  []*chatCall
}

// chatCall is a tool call. Some services omit the index; then an ID starts a call.
type chatCall struct {
	index          int
	own            *partial
	function, tool *partial
}

func newChatChoice(i int) *chatChoice {
	index, _ := json.Marshal(i)
	return &chatChoice{own: newPartial(rawjson.Of("index", index)), message: &partial{}}
}

func (c *chatChoice) add(o rawjson.Object) {
	for _, m := range o {
		switch {
		case (m.Key == "delta" || m.Key == "message") && rawjson.IsObject(m.Value):
			delta, _ := rawjson.ReadObject(m.Value)
			c.addDelta(delta)
		case m.Key == "text" && c.own.grow("text", m.Value):
		case m.Key == "logprobs" && rawjson.IsObject(m.Value):
			c.logprobs = growLists(c.logprobs, m.Value)
		default:
			c.own.set(m.Key, m.Value)
		}
	}
}

// chatTexts are the strings of a message that arrive in pieces.
var chatTexts = []string{"content", "refusal", "reasoning_content", "reasoning"}

func (c *chatChoice) addDelta(delta rawjson.Object) {
	for _, m := range delta {
		calls, isList := rawjson.ReadArray(m.Value)
		switch {
		case slices.Contains(chatTexts, m.Key) && c.message.grow(m.Key, m.Value):
		case m.Key == "tool_calls" && isList && allObjects(calls):
			for _, raw := range calls {
				call, _ := rawjson.ReadObject(raw)
				c.addCall(call)
			}
		case m.Key == "function_call" && rawjson.IsObject(m.Value):
			c.functionCall = growTexts(c.functionCall, m.Value, "arguments")
		case m.Key == "audio" && rawjson.IsObject(m.Value):
			c.audio = growTexts(c.audio, m.Value, "data", "transcript")
		case isList:
			c.message.extend(m.Key, calls...)
		default:
			c.message.set(m.Key, m.Value)
		}
	}
}

func (c *chatChoice) addCall(o rawjson.Object) {
	call := c.call(o)
	for _, m := range o {
		switch {
		case m.Key == "index":
		case m.Key == "function" && rawjson.IsObject(m.Value):
			call.function = growTexts(call.function, m.Value, "arguments")
		case m.Key == "custom" && rawjson.IsObject(m.Value):
			call.tool = growTexts(call.tool, m.Value, "input")
		case string(m.Value) == `""` && call.own.get(m.Key) != nil: // Repeated without its value.
		default:
			call.own.set(m.Key, m.Value)
		}
	}
}

// call finds the call to which a piece belongs.
func (c *chatChoice) call(o rawjson.Object) *chatCall {
	i, indexed := o.Index("index")
	id, _ := o.Text("id")
	for _, call := range slices.Backward(c.calls) {
		known, _ := rawjson.ReadString(call.own.get("id"))
		switch {
		case id != "" && known != "" && id != known: // Some services start every call at index 0.
		case indexed && call.index == i, !indexed && (id == "" || known == id):
			return call
		}
	}
	call := &chatCall{index: i, own: &partial{}}
	c.calls = append(c.calls, call)
	return call
}

// growTexts adds an object to one that arrives in pieces: some strings grow, other members are replaced, but not with an
// empty string.
func growTexts(p *partial, raw json.RawMessage, texts ...string) *partial {
	if p == nil {
		p = &partial{}
	}
	o, _ := rawjson.ReadObject(raw)
	for _, m := range o {
		if slices.Contains(texts, m.Key) && p.grow(m.Key, m.Value) {
			continue
		}
		if string(m.Value) != `""` || p.get(m.Key) == nil {
			p.set(m.Key, m.Value)
		}
	}
	return p
}

// growLists adds an object to one whose lists arrive in pieces.
func growLists(p *partial, raw json.RawMessage) *partial {
	if p == nil {
		p = &partial{}
	}
	o, _ := rawjson.ReadObject(raw)
	for _, m := range o {
		if list, ok := rawjson.ReadArray(m.Value); ok {
			p.extend(m.Key, list...)
		} else {
			p.set(m.Key, m.Value)
		}
	}
	return p
}

func (c *chatChoice) encode() json.RawMessage {
	for key, value := range map[string]*partial{"audio": c.audio, "function_call": c.functionCall} {
		if value != nil {
			c.message.set(key, value.encode())
		}
	}
	if len(c.calls) > 0 {
		slices.SortStableFunc(c.calls, func(a, b *chatCall) int { return a.index - b.index })
		calls := make([]json.RawMessage, len(c.calls))
		for i, call := range c.calls {
			calls[i] = call.encode()
		}
		c.message.set("tool_calls", rawjson.EncodeArray(calls))
	}
	if c.logprobs != nil {
		c.own.set("logprobs", c.logprobs.encode())
	}
	if c.own.get("text") != nil && len(c.message.entries) == 0 {
		return c.own.encode() // A completion has a text instead of a message.
	}
	message := newPartial(rawjson.Of("role", rawjson.Quote(RoleAssistant)).With("content", json.RawMessage("null")))
	message.setAll(c.message.entries)
	c.own.set("message", message.encode())
	return c.own.encode()
}

func (c *chatCall) encode() json.RawMessage {
	if c.function != nil {
		c.own.set("function", c.function.encode())
	}
	if c.tool != nil {
		c.own.set("custom", c.tool.encode())
	}
	return c.own.encode()
}
