package message

import (
	"encoding/json"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// reduceMessages combines the events of the messages format into a message. The input of a truncated call is the string
// that has arrived.
func reduceMessages(events []json.RawMessage) (json.RawMessage, error) {
	s := messagesStream{message: &partial{}, usage: &partial{}, blocks: series{}, inputs: series{}}
	s.read(events, s.add)
	if s.understood > 0 && !s.started && len(s.blocks) > 0 {
		late := s.message.entries
		s.message = newPartial(rawjson.Of("type", rawjson.Quote("message")).With("role", rawjson.Quote(RoleAssistant)))
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

type messagesStream struct {
	stream
	started        bool
	message, usage *partial
	// blocks is the content; inputs has the text, under "json", of the inputs that arrived in pieces.
	blocks, inputs series
}

// readInput returns the input assembled from its pieces; without pieces, it is the initial input of the call.
func readInput(text, before json.RawMessage) json.RawMessage {
	decoded, _ := rawjson.ReadString(text)
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

func (s *messagesStream) add(o rawjson.Object) bool {
	switch kind, _ := o.Text("type"); kind {
	case "message_start":
		return s.start(o.Get("message"))
	case "content_block_start":
		i, ok := o.Index("index")
		block, isBlock := rawjson.ReadObject(o.Get("content_block"))
		if !ok || !isBlock || s.blocks[i] != nil {
			return false
		}
		s.blocks[i] = newPartial(block)
		return true
	case "content_block_delta":
		i, ok := o.Index("index")
		delta, isDelta := rawjson.ReadObject(o.Get("delta"))
		return ok && isDelta && s.addDelta(i, delta)
	case "message_delta":
		return s.addEnd(o)
	case keyError:
		return s.fail(o.Get(keyError))
	case "ping", "content_block_stop", "message_stop":
		return true
	default:
		return false
	}
}

func (s *messagesStream) start(raw json.RawMessage) bool {
	message, ok := rawjson.ReadObject(raw)
	if !ok || s.started {
		return false
	}
	late := s.message.entries
	s.started, s.message = true, newPartial(message)
	s.message.setAll(late)
	began := series{}
	began.load(message.Get("content"))
	for i, block := range began {
		if s.blocks[i] == nil {
			s.blocks[i] = block
		}
	}
	counted := s.usage
	usage, _ := rawjson.ReadObject(message.Get("usage"))
	s.usage = newPartial(usage)
	s.usage.setAll(counted.entries)
	return true
}

// deltaTexts are the deltas that extend a string: the type of the block, and the member that both have.
var deltaTexts = map[string]struct{ block, key string }{
	"text_delta":     {BlockText, "text"},
	"thinking_delta": {kindThinking, "thinking"},
}

func (s *messagesStream) addDelta(i int, delta rawjson.Object) bool {
	kind, _ := delta.Text("type")
	if text, ok := deltaTexts[kind]; ok {
		piece := delta.Get(text.key)
		return rawjson.IsString(piece) && s.blocks.at(i, rawjson.Member{Key: "type", Value: rawjson.Quote(text.block)}).grow(text.key, piece)
	}
	switch kind {
	case "signature_delta":
		signature := delta.Get("signature")
		if !rawjson.IsString(signature) {
			return false
		}
		s.blocks.at(i, rawjson.Member{Key: "type", Value: rawjson.Quote(kindThinking)}).set("signature", signature)
	case "input_json_delta":
		piece := delta.Get("partial_json")
		if !rawjson.IsString(piece) {
			return false
		}
		s.blocks.at(i, rawjson.Member{Key: "type", Value: rawjson.Quote(kindToolUse)})
		s.inputs.at(i).grow("json", piece)
	case "citations_delta":
		citation := delta.Get("citation")
		if !rawjson.IsObject(citation) {
			return false
		}
		s.blocks.at(i, rawjson.Member{Key: "type", Value: rawjson.Quote(BlockText)}).extend("citations", citation)
	default:
		return false
	}
	return true
}

// addEnd reads why the answer ended, and the usage: its counts are totals, so the last ones count.
func (s *messagesStream) addEnd(o rawjson.Object) bool {
	delta, ok := rawjson.ReadObject(o.Get("delta"))
	if !ok && o.Has("delta") {
		return false
	}
	usage, counted := rawjson.ReadObject(o.Get("usage"))
	s.usage.add(usage)
	s.message.add(delta)
	if counted {
		s.message.add(o, "type", "delta", "usage")
	} else {
		s.message.add(o, "type", "delta")
	}
	return true
}
