package message

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/agents"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/envelope"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/part"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/shape"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

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
	for i := range weights {
		if w := &weights[i]; ok && w.weight > most && found&w.hint != 0 && found&w.unless == 0 {
			best, most = w.format, w.weight
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

// hints are what the messages of a document, and the members beside them, say about its format.
type hints uint16

const (
	// textHint is content that is a string.
	textHint hints = 1 << iota
	chatHint
	nativeHint
	messagesHint
	// callHint is a call, or an answer to one, as in chat completions, whatever blocks the content has: gateways pass
	// on those of the provider behind them.
	callHint
	cacheHint    // a cache marker of the messages format, which gateways also use in chat completions
	roleHint     // a role that the messages format doesn't have
	thoughtHint  // a thought without a signature, which one provider of chat completions also has
	answerHint   // a tool's answer as a separate message; the messages format has it in the content
	requestHint  // members beside the messages that only the messages format has
	samplingHint // a setting of the messages format which servers of open models add to chat completions
	bareHint     // any members, but no message
	tracedHint   // a member that tracing services add to messages of any format
	envelopeHint // a shape that several formats share
)

// weights say how much hints count as evidence for a format, unless there is a hint that contradicts them. A list of
// messages alone doesn't determine the format: the form of its messages does. What several formats share is chat completions,
// which most providers accept; the native format needs a member that only it has.
var weights = []struct {
	weight       int
	format       document.Format
	hint, unless hints
}{
	{10, document.FormatChatCompletions, callHint, nativeHint},
	{9, document.FormatMessages, messagesHint, 0},
	{9, document.FormatMessages, thoughtHint, answerHint},
	{8, document.FormatNative, nativeHint, 0},
	{7, document.FormatChatCompletions, chatHint | thoughtHint, 0},
	{6, document.FormatMessages, requestHint, 0},
	{5, document.FormatMessages, cacheHint | samplingHint, roleHint},
	{4, document.FormatChatCompletions, cacheHint, 0},
	{3, document.FormatChatCompletions, textHint | bareHint, 0},
	{2, document.FormatNative, tracedHint, 0},
	{1, document.FormatChatCompletions, envelopeHint, 0},
}

// findHints reads the hints of a document in a shape that several formats share.
func findHints(src document.Source) (hints, bool) {
	e, ok := envelope.Open(src)
	if !ok {
		return 0, false
	}
	beside := e.Rest
	if key, _, wrapped := envelope.CutShape(e.Shape); wrapped {
		if inner := src.Within(key); detectShape(inner) != document.FormatUnrecognized {
			return 0, false
		}
		inner, _ := rawjson.ReadObject(e.Rest[key])
		beside = inner.Rest()
	}
	found := envelopeHint | toolsHints(beside["tools"]) | choiceHints(beside["tool_choice"])
	if beside["finish_reason"] != nil || slices.Contains(chatShapes, e.Shape) {
		found |= chatHint
	}
	if slices.ContainsFunc(messagesOnly, func(key string) bool { return beside[key] != nil }) {
		found |= requestHint
	}
	if beside["top_k"] != nil {
		found |= samplingHint
	}
	if beside["usage_metadata"] != nil {
		found |= tracedHint
	}
	if len(e.Messages) == 0 && len(e.Rest) > 0 {
		found |= bareHint
	}
	for _, message := range rawjson.Objects(e.Messages) {
		found |= messageHints(message)
	}
	return found, true
}

// chatShapes are the shapes that only chat completions have.
var chatShapes = []string{document.ShapeChoices, document.ShapeCompletion, document.ShapePrompt, document.ShapeResponse}

// messagesOnly are members beside the messages that only the messages format has.
var messagesOnly = []string{
	"system", "stop_reason", "stop_sequences", "anthropic_version", "thinking", "output_config", "mcp_servers", "container",
}

// toolsHints distinguishes the tools of a request by the first that has the form of one format.
func toolsHints(raw json.RawMessage) hints {
	list, _ := rawjson.ReadArray(raw)
	for _, tool := range rawjson.Objects(list) {
		switch kind, _ := tool.Text("type"); {
		case rawjson.IsObject(tool.Get(part.KeyFunction)), rawjson.IsObject(tool.Get(part.KeyCustom)):
			return chatHint
		case rawjson.IsObject(tool.Get("input_schema")), isDated(kind):
			return requestHint
		}
	}
	return 0
}

// isDated says whether a type ends with a date, as those of the tools in the messages format that the service defines.
func isDated(kind string) bool {
	i := strings.LastIndexByte(kind, '_')
	return i >= 0 && len(kind)-i == len("_20250305") && strings.Trim(kind[i+1:], "0123456789") == ""
}

// choiceHints recognizes the choice of a tool in the messages format. In chat completions, it is a word or has the type of a tool.
func choiceHints(raw json.RawMessage) hints {
	choice, _ := rawjson.ReadObject(raw)
	if kind, _ := choice.Text("type"); slices.Contains([]string{"auto", "any", "tool", "none"}, kind) {
		return requestHint
	}
	return 0
}

func messageHints(o rawjson.Object) hints {
	var found hints
	for _, m := range o {
		switch m.Key {
		case "role":
			switch role, _ := rawjson.ReadString(m.Value); role {
			case "developer", "function":
				found |= chatHint | roleHint
			case document.RoleSystem, document.RoleTool:
				found |= roleHint
			case document.RoleReasoning:
				found |= nativeHint
			}
		case "usage_metadata":
			found |= tracedHint
		case "extras":
			if rawjson.IsObject(m.Value) {
				found |= nativeHint
			}
		case "function_call", "refusal", "reasoning_content", "reasoning", "reasoning_details", "thinking_blocks", "thinking", "tool_plan",
			"images", "tool_name", "toolCallId", "toolPlan", "prefix":
			found |= chatHint
		case "tool_calls", "toolCalls":
			found |= callsHints(m.Value)
		case "tool_call_id":
			found |= answerHint
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

// blockKinds are the types of blocks that tell the formats apart, unless blockHints knows better.
var blockKinds = map[string]hints{
	document.BlockReasoning: nativeHint, document.BlockImage: nativeHint, document.BlockFile: nativeHint, document.BlockAudio: nativeHint,
	document.BlockVideo: nativeHint, document.BlockToolCall: nativeHint, document.BlockServerToolCall: nativeHint,
	document.BlockServerToolResult: nativeHint,
	"image_url":                    chatHint, "video_url": chatHint, "input_audio": chatHint, "document_url": chatHint, "refusal": chatHint,
	"document": messagesHint, part.KindCompaction: messagesHint, part.KindSearchResult: messagesHint, part.KindThinking: messagesHint,
	"redacted_thinking": messagesHint, part.KindToolUse: messagesHint, "server_tool_use": messagesHint, "mcp_tool_use": messagesHint,
	"container_upload": messagesHint,
}

func blockHints(o rawjson.Object) hints {
	kind, _ := o.Text("type")
	usual, known := blockKinds[kind]
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
