package llmrun

import (
	"encoding/json"
	"maps"
	"slices"
)

// ReduceChatCompletions combines chunks of chat completions into a completion: {"choices":[{"message":{…}}]}. Of members
// that several chunks have the last value counts that isn't null, such as the usage of the last chunk.
func ReduceChatCompletions(chunks []json.RawMessage) (json.RawMessage, error) {
	s := chatStream{top: &partial{}, choices: map[int]*chatChoice{}}
	s.read(chunks, s.add)
	s.nameObject()
	if len(s.choices) > 0 {
		choices := make([]json.RawMessage, 0, len(s.choices))
		for _, i := range slices.Sorted(maps.Keys(s.choices)) {
			choices = append(choices, s.choices[i].encode())
		}
		s.top.set("choices", encodeArray(choices))
	}
	return s.finish(FormatChatCompletions, s.top)
}

type chatStream struct {
	stream
	top     *partial
	choices map[int]*chatChoice
}

// chatObjects are the names of chunks, and of what they make up.
var chatObjects = map[string]string{"chat.completion.chunk": "chat.completion"}

func (s *chatStream) nameObject() {
	if name, ok := readString(s.top.get("object")); ok && chatObjects[name] != "" {
		s.top.set("object", quote(chatObjects[name]))
	}
}

func (s *chatStream) add(o object) bool {
	if failure := o.get(keyError); !isNullOrAbsent(failure) && !o.has("choices") {
		return s.fail(failure)
	}
	choices, ok := readArray(o.get("choices"))
	if !ok || !allObjects(choices) {
		return false
	}
	s.top.add(o, "choices")
	for position, raw := range choices {
		choice, _ := readObject(raw)
		i, ok := choice.index("index")
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

// chatCall is a call of a tool. Some services leave the index out; then an id begins a call.
type chatCall struct {
	index          int
	indexed        bool
	own            *partial
	function, tool *partial
}

func newChatChoice(i int) *chatChoice {
	index, _ := json.Marshal(i)
	return &chatChoice{own: newPartial(object{{"index", index}}), message: &partial{}}
}

func (c *chatChoice) add(o object) {
	for _, m := range o {
		switch {
		case m.key == "index":
		case (m.key == "delta" || m.key == "message") && isObject(m.value):
			delta, _ := readObject(m.value)
			c.addDelta(delta)
		case m.key == "text" && c.own.grow("text", m.value):
		case m.key == "logprobs" && isObject(m.value):
			c.logprobs = growLists(c.logprobs, m.value)
		default:
			c.own.set(m.key, m.value)
		}
	}
}

// chatTexts are the texts of a message that arrive in pieces.
var chatTexts = []string{"content", "refusal", "reasoning_content", "reasoning"}

func (c *chatChoice) addDelta(delta object) {
	for _, m := range delta {
		calls, isList := readArray(m.value)
		switch {
		case slices.Contains(chatTexts, m.key) && c.message.grow(m.key, m.value):
		case m.key == "tool_calls" && isList && allObjects(calls):
			for _, raw := range calls {
				call, _ := readObject(raw)
				c.addCall(call)
			}
		case m.key == "function_call" && isObject(m.value):
			c.functionCall = growTexts(c.functionCall, m.value, "arguments")
		case m.key == "audio" && isObject(m.value):
			c.audio = growTexts(c.audio, m.value, "data", "transcript")
		case isList:
			c.message.extend(m.key, calls...)
		default:
			c.message.set(m.key, m.value)
		}
	}
}

func (c *chatChoice) addCall(o object) {
	call := c.call(o)
	for _, m := range o {
		switch {
		case m.key == "index":
		case m.key == "function" && isObject(m.value):
			call.function = growTexts(call.function, m.value, "arguments")
		case m.key == "custom" && isObject(m.value):
			call.tool = growTexts(call.tool, m.value, "input")
		case string(m.value) == `""` && call.own.get(m.key) != nil: // repeated without its value
		default:
			call.own.set(m.key, m.value)
		}
	}
}

// call finds the call that a piece belongs to.
func (c *chatChoice) call(o object) *chatCall {
	i, indexed := o.index("index")
	id, _ := o.text("id")
	for _, call := range slices.Backward(c.calls) {
		if indexed && call.indexed && call.index == i || !indexed && id == "" {
			return call
		}
		if known, _ := readString(call.own.get("id")); !indexed && known == id {
			return call
		}
	}
	call := &chatCall{index: i, indexed: indexed, own: &partial{}}
	c.calls = append(c.calls, call)
	return call
}

// growTexts adds an object to one that arrives in pieces: some texts grow, other members are replaced, but not by an
// empty text.
func growTexts(p *partial, raw json.RawMessage, texts ...string) *partial {
	if p == nil {
		p = &partial{}
	}
	o, _ := readObject(raw)
	for _, m := range o {
		if slices.Contains(texts, m.key) && p.grow(m.key, m.value) {
			continue
		}
		if string(m.value) != `""` || p.get(m.key) == nil {
			p.set(m.key, m.value)
		}
	}
	return p
}

// growLists adds an object to one whose lists arrive in pieces.
func growLists(p *partial, raw json.RawMessage) *partial {
	if p == nil {
		p = &partial{}
	}
	o, _ := readObject(raw)
	for _, m := range o {
		if list, ok := readArray(m.value); ok {
			p.extend(m.key, list...)
		} else {
			p.set(m.key, m.value)
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
		c.message.set("tool_calls", encodeArray(calls))
	}
	if c.logprobs != nil {
		c.own.set("logprobs", c.logprobs.encode())
	}
	if c.own.get("text") != nil && len(c.message.entries) == 0 {
		return c.own.encode() // a completion has a text in place of a message
	}
	message := newPartial(object{{"role", quote(RoleAssistant)}, {"content", json.RawMessage("null")}})
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
