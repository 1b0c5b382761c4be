package llmrun

import (
	"encoding/json"
)

// ReduceMessages combines the events of the messages format into the message that they make up. The input of a call that
// broke off is the text that has arrived of it.
func ReduceMessages(events []json.RawMessage) (json.RawMessage, error) {
	s := blocksStream{message: &partial{}, usage: &partial{}, blocks: series{}, inputs: series{}}
	s.read(events, s.add)
	if s.understood > 0 && !s.started && len(s.blocks) > 0 {
		late := s.message.entries
		s.message = newPartial(object{{"type", quote("message")}, {"role", quote(RoleAssistant)}})
		s.message.setAll(late)
	}
	for i, input := range s.inputs {
		s.blocks[i].set("input", readInput(input.get("json"), s.blocks[i].get("input")))
	}
	if s.started || len(s.blocks) > 0 {
		s.message.set("content", s.blocks.encode())
	}
	if len(s.usage.entries) > 0 {
		s.message.set("usage", s.usage.encode())
	}
	return s.finish(FormatMessages, s.message)
}

type blocksStream struct {
	stream
	started        bool
	message, usage *partial
	// blocks is the content; inputs has the text, under "json", of the inputs that came in pieces.
	blocks, inputs series
}

// readInput is what the pieces of an input make up; with no pieces it is what the call began with.
func readInput(text, before json.RawMessage) json.RawMessage {
	decoded, _ := readString(text)
	switch {
	case decoded == "" && before != nil:
		return before
	case decoded == "":
		return json.RawMessage("{}")
	case isJSON([]byte(decoded)):
		return json.RawMessage(decoded)
	default:
		return text
	}
}

func (s *blocksStream) add(o object) bool {
	switch kind, _ := o.text("type"); kind {
	case "message_start":
		return s.start(o.get("message"))
	case "content_block_start":
		i, ok := o.index("index")
		block, isBlock := readObject(o.get("content_block"))
		if !ok || !isBlock || s.blocks[i] != nil {
			return false
		}
		s.blocks[i] = newPartial(block)
		return true
	case "content_block_delta":
		i, ok := o.index("index")
		delta, isDelta := readObject(o.get("delta"))
		return ok && isDelta && s.addDelta(i, delta)
	case "message_delta":
		return s.addEnd(o)
	case keyError:
		return s.fail(o.get(keyError))
	case "ping", "content_block_stop", "message_stop":
		return true
	default:
		return false
	}
}

func (s *blocksStream) start(raw json.RawMessage) bool {
	message, ok := readObject(raw)
	if !ok || s.started {
		return false
	}
	late := s.message.entries
	s.started, s.message = true, newPartial(message)
	s.message.setAll(late)
	began := series{}
	began.load(message.get("content"))
	for i, block := range began {
		if s.blocks[i] == nil {
			s.blocks[i] = block
		}
	}
	counted := s.usage
	usage, _ := readObject(message.get("usage"))
	s.usage = newPartial(usage)
	s.usage.setAll(counted.entries)
	return true
}

// deltaTexts are the deltas that make a text longer: the type of the block, and the member that both have.
var deltaTexts = map[string]struct{ block, key string }{
	"text_delta":     {BlockText, "text"},
	"thinking_delta": {kindThinking, "thinking"},
}

func (s *blocksStream) addDelta(i int, delta object) bool {
	kind, _ := delta.text("type")
	if text, ok := deltaTexts[kind]; ok {
		piece := delta.get(text.key)
		return isString(piece) && s.blocks.at(i, member{"type", quote(text.block)}).grow(text.key, piece)
	}
	switch kind {
	case "signature_delta":
		signature := delta.get("signature")
		if !isString(signature) {
			return false
		}
		s.blocks.at(i, member{"type", quote(kindThinking)}).set("signature", signature)
	case "input_json_delta":
		piece := delta.get("partial_json")
		if !isString(piece) {
			return false
		}
		s.blocks.at(i, member{"type", quote(kindToolUse)})
		s.inputs.at(i).grow("json", piece)
	case "citations_delta":
		citation := delta.get("citation")
		if !isObject(citation) {
			return false
		}
		s.blocks.at(i, member{"type", quote(BlockText)}).extend("citations", citation)
	default:
		return false
	}
	return true
}

// addEnd reads why the answer ended, and the usage: its counts are totals, so the last ones count.
func (s *blocksStream) addEnd(o object) bool {
	delta, ok := readObject(o.get("delta"))
	if !ok && o.has("delta") {
		return false
	}
	usage, counted := readObject(o.get("usage"))
	s.usage.add(usage)
	s.message.add(delta)
	if counted {
		s.message.add(o, "type", "delta", "usage")
	} else {
		s.message.add(o, "type", "delta")
	}
	return true
}
