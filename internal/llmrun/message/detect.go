package message

import (
	_ "embed"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/agents"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/convert"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/envelope"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/part"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/shape"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/texttable"
)

// hints are what the messages of a document, and the members beside them, say about its format.
type hints uint16

//go:embed evidence.txt
var evidenceText string

var weights, told = readEvidence(evidenceText)

var memberHints, blockTypes = told["member"], told["block"]

// hintNames are the names of hints in the table, which explains them.
var hintNames = strings.Fields("text chat native messages call cache thought request bare envelope role answer sampling traced")

// The hints that code finds; the table says what the others are.
var (
	textHint, chatHint, nativeHint, messagesHint, callHint      = hint("text"), hint("chat"), hint("native"), hint("messages"), hint("call")
	cacheHint, thoughtHint, requestHint, bareHint, envelopeHint = hint("cache"), hint("thought"), hint("request"), hint("bare"), hint("envelope")
)

func hint(name string) hints { return 1 << slices.Index(hintNames, name) }

// evidence says how much hints count for a format, unless there is a hint that contradicts them.
type evidence struct {
	weight       int
	format       document.Format
	hint, unless hints
}

// readEvidence reads the table: the weights, and the hints that words are, by where they stand.
func readEvidence(text string) (all []evidence, words map[string]map[string]hints) {
	words = map[string]map[string]hints{"shape": {}, "beside": {}, "member": {}, "role": {}, "block": {}}
	for w := range texttable.Rows(text) {
		if where := words[w[0]]; where != nil {
			for _, word := range w[2:] {
				where[word] |= hint(w[1])
			}
			continue
		}
		e := evidence{format: document.Format(w[1])}
		e.weight, _ = strconv.Atoi(w[0])
		for _, word := range w[2:] {
			if name, contradicts := strings.CutPrefix(word, "!"); contradicts {
				e.unless |= hint(name)
			} else {
				e.hint |= hint(name)
			}
		}
		all = append(all, e)
	}
	return all, words
}

// detect finds the format of a document: that for which there is most evidence. It reads only what distinguishes the formats.
func detect(src document.Source) document.Format {
	if o := src.Object; len(o) == 2 && rawjson.IsArray(o.Get("messages")) && rawjson.IsObject(o.Get("extras")) {
		return document.FormatNative // The normal form.
	}
	if f := detectShape(src); f != document.FormatUnrecognized {
		return f
	}
	best, most := document.FormatUnrecognized, 0
	found, ok := findHints(src)
	for _, e := range weights {
		if ok && e.weight > most && found&e.hint != 0 && found&e.unless == 0 {
			best, most = e.format, e.weight
		}
	}
	return best
}

// detectShape finds the formats that have their own shapes.
func detectShape(src document.Source) document.Format {
	if name := agents.Detect(src); name != document.FormatUnrecognized {
		return name
	}
	i := slices.IndexFunc(formats, func(f format) bool { return f.has != nil && f.has(src) })
	if i < 0 {
		return document.FormatUnrecognized
	}
	return formats[i].name
}

// findHints reads the hints of a document in a shape that several formats share.
func findHints(src document.Source) (hints, bool) {
	e, ok := envelope.Open(src)
	if !ok {
		return 0, false
	}
	found := envelopeHint | told["shape"][e.Shape] | toolsHints(e.Rest["tools"])
	for key := range e.Rest {
		found |= told["beside"][key]
	}
	if isMessagesChoice.Fits(e.Rest["tool_choice"]) {
		found |= requestHint
	}
	if len(e.Messages) == 0 && len(e.Rest) > 0 {
		found |= bareHint
	}
	for _, message := range rawjson.Objects(e.Messages) {
		found |= messageHints(message)
	}
	return found, true
}

// isMessagesChoice recognizes the choice of a tool in the messages format. In chat completions, it is a word or has the type of a tool.
var isMessagesChoice = shape.Named("messages_choice")

// toolsHints distinguishes the tools of a request by the first that has the form of one format.
func toolsHints(raw json.RawMessage) hints {
	list, _ := rawjson.ReadArray(raw)
	for _, tool := range rawjson.Objects(list) {
		form, _ := convert.ToolForm(tool)
		if form == document.FormatChatCompletions {
			return chatHint
		}
		if form == document.FormatMessages {
			return requestHint
		}
	}
	return 0
}

func messageHints(o rawjson.Object) hints {
	var found hints
	for _, m := range o {
		switch found |= memberHints[m.Key]; m.Key {
		case "role":
			role, _ := rawjson.ReadString(m.Value)
			found |= told["role"][role]
		case "extras":
			if rawjson.IsObject(m.Value) {
				found |= nativeHint
			}
		case "tool_calls", "toolCalls":
			found |= callsHints(m.Value)
		case "content":
			found |= contentHints(m.Value)
		}
	}
	return found
}

// callsHints distinguishes calls of chat completions from those of the native format.
func callsHints(raw json.RawMessage) hints {
	list, _ := rawjson.ReadArray(raw)
	found := chatHint
	for _, call := range rawjson.Objects(list) {
		switch {
		case call.Has("function"), call.Has(part.KeyCustom):
			found |= callHint
		case call.Has("args"):
			return nativeHint
		}
	}
	return found
}

func contentHints(raw json.RawMessage) hints {
	switch rawjson.FirstByte(raw) {
	case '"':
		return textHint
	case 'n':
		return chatHint
	}
	list, _ := rawjson.ReadArray(raw)
	var found hints
	for _, o := range rawjson.Objects(list) {
		found |= blockHints(o)
	}
	return found
}

func blockHints(o rawjson.Object) hints {
	kind, _ := o.Text("type")
	usual, known := blockTypes[kind]
	switch {
	case rawjson.IsObject(o.Get("extras")):
		return nativeHint
	case kind == document.BlockText && rawjson.IsArray(o.Get("citations")), kind == document.BlockImage && o.Has("source"),
		!known && strings.HasSuffix(kind, "tool_result"):
		return messagesHint
	case kind == document.BlockText && o.Has("cache_control"):
		return cacheHint
	case (kind == "document" || kind == part.KindCompaction) && o.Has("document"), kind == document.BlockFile && part.Known(o, kind),
		kind == part.KindThinking && rawjson.IsArray(o.Get(kind)): // One provider of chat completions has a list of texts here.
		return chatHint
	case kind == part.KindThinking && !o.Has("signature"):
		return thoughtHint
	default:
		return usual
	}
}

// The shapes of answers and requests. A document that is certainly an answer may have members of requests, too.
var isCertainAnswer, isRequest, isAnswer = shape.Named("certain_answer"), shape.Named("request"), shape.Named("answer")

func guessSide(data json.RawMessage) document.Side {
	list, _ := rawjson.ReadArray(data)
	isPair := len(list) == 2 && rawjson.IsString(list[0])
	o, _ := rawjson.ReadObject(data)
	isTraced := o.Has("gen_ai.output.messages") || o.Has("llm.output_messages")
	if isPair || isCertainAnswer(o) || !isRequest(o) && (isAnswer(o) || isTraced) {
		return document.Outputs
	}
	return document.Inputs
}
