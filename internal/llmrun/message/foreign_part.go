package message

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// kindMedia is a framework's part for one provider.
const kindMedia = "media"

// kindDocumentURL is a part of chat completions that one provider has.
const kindDocumentURL = "document_url"

// isForeignPart says whether a part of the content has the form of another format: frameworks and gateways pass on the
// blocks of the provider behind them.
func isForeignPart(o rawjson.Object, kind string) bool {
	switch kind {
	case kindMedia, kindThinking, kindRedactedThinking, kindToolUse, kindServerToolUse, kindDocument, kindContainerUpload, "tool_result":
		return true
	case BlockImage:
		return o.Has("source") || o.Has("source_type")
	case BlockReasoning:
		return !o.Has("text") && (rawjson.IsString(o.Get("reasoning")) || rawjson.IsArray(o.Get("summary")))
	case kindFunctionCall, kindInputText, kindOutputText, kindInputImage, kindInputFile:
		return true
	case BlockFile, BlockAudio:
		return o.Has("source_type")
	case kindInputAudio, kindDocumentURL:
		return rawjson.IsString(o.Get(kind))
	default:
		return strings.HasSuffix(kind, suffixToolUse) || strings.HasSuffix(kind, suffixToolResult) && kind != BlockServerToolResult
	}
}

// parseForeignPart reads such a part. It is written back unchanged.
func parseForeignPart(raw json.RawMessage, o rawjson.Object, kind string) Block {
	var b Block
	switch {
	case o.Has("source_type"):
		b = parseSourceType(o, kind)
	case kind == kindMedia:
		mime, _ := o.Text("mime_type")
		b = Block{Type: mediaOf(mime)}
		b.Extras = o.Rest(append(b.takeMembers(o, "mime_type", "mime_type", "data", "base64", "file_uri", "url"), "type")...)
	case kind == BlockReasoning:
		b = parseForeignReasoning(o)
	case kind == kindThinking && rawjson.IsArray(o.Get("thinking")):
		b = parseThinkingList(o)
	case kind == kindInputAudio || kind == kindDocumentURL:
		b = parseTextMedia(o, kind)
	case kind == kindFunctionCall:
		b = parseCallItem(raw, o, kind)[0]
	case slices.Contains([]string{kindInputText, kindOutputText, kindInputImage, kindInputFile}, kind):
		b = parseItemPart(raw, RoleUser)
	case kind == "tool_result":
		b = parseForeignResult(o)
	case kind == kindToolUse:
		b = parseForeignCall(raw, o)
	default:
		b = parseBlockObject(raw, o)
	}
	b.Layout = Layout{layoutRaw: raw}
	return b
}

// parseSourceType reads {"type","source_type","url" or "data" or "id","mime_type"}.
func parseSourceType(o rawjson.Object, kind string) Block {
	b := Block{Type: kind}
	source, _ := o.Text("source_type")
	taken := append(b.takeAs(o, "url", "url", "data", "base64", "id", "id", "mime_type", "mime_type"), "source_type")
	if source == BlockText && b.Base64 != nil {
		taken = slices.DeleteFunc(taken, func(key string) bool { return key == "data" })
		b.Base64 = nil
	}
	b.Extras = o.Rest(taken...)
	return b
}

// parseForeignCall reads {"type":"tool_use","input"}, whose input is a string if a framework has joined it from a stream.
func parseForeignCall(raw json.RawMessage, o rawjson.Object) Block {
	b := parseBlockObject(raw, o)
	if b.Args == nil && slices.Contains(b.takeInput(o, "input"), "input") {
		b.Extras = b.Extras.Without("input")
	}
	return b
}

// parseTextMedia reads {"type":"input_audio","input_audio":"…"} and {"type":"document_url","document_url":"…"}: a URL, or
// data with or without the prefix of a data URL.
func parseTextMedia(o rawjson.Object, kind string) Block {
	b := Block{Type: BlockFile, Extras: o.Rest("type", kind)}
	if kind == kindInputAudio {
		b.Type = BlockAudio
	}
	text, _ := o.Text(kind)
	b.takeData(text)
	return b
}

// parseForeignReasoning reads {"type":"reasoning","reasoning"} and {"type":"reasoning","summary":[{"text"}]}.
func parseForeignReasoning(o rawjson.Object) Block {
	b := Block{Type: BlockReasoning}
	taken := b.takeAs(o, "reasoning", "text")
	if text := joinTexts(o.Get("summary"), summaryText); text != nil && b.Text == nil {
		b.Text, taken = text, append(taken, "summary")
	}
	b.Extras = o.Rest(taken...)
	return b
}

// parseThinkingList reads {"type":"thinking","thinking":[{"type":"text","text"}]}.
func parseThinkingList(o rawjson.Object) Block {
	b := Block{Type: BlockReasoning}
	taken := []string{"type"}
	if text := joinTexts(o.Get("thinking"), BlockText); text != nil {
		b.Text, taken = text, append(taken, "thinking")
	}
	b.Extras = o.Rest(taken...)
	return b
}

// joinTexts returns the text of a list of {"type","text"}, nil if an element is something else or has other members.
func joinTexts(raw json.RawMessage, kind string) *string {
	blocks, ok := parseReasoning(raw, kind)
	if !ok {
		return nil
	}
	texts := make([]string, len(blocks))
	for i := range blocks {
		if blocks[i].Extras != nil {
			return nil
		}
		texts[i] = *blocks[i].Text
	}
	all := strings.Join(texts, "\n")
	return &all
}

// parseForeignResult reads a tool's answer within the content, where it has no separate message: its ID and its content are
// stored like those of a server tool's result.
func parseForeignResult(o rawjson.Object) Block {
	b := Block{Type: BlockServerToolResult}
	b.Extras = o.Rest(b.takeAs(o, "tool_use_id", "tool_call_id", "content", "output")...)
	status := resultStatus(&b)
	b.Status = &status
	return b.ofKind("tool_result")
}
