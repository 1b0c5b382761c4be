package part

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// reader reads one form of parts into blocks.
type reader struct {
	// is tells the form apart from others of the same type; nil accepts all parts.
	is func(o rawjson.Object) bool
	// to is the type of the block; if it is empty, it follows from the media type.
	to string
	// within is the member that contains the others, if they aren't members of the part itself.
	within string
	// members are pairs: a member of the part, and what Block.Take is to read it as.
	members []string
	// keep is an extra that distinguishes the block from others of its type: keepType for the part's own type, or a flag.
	keep string
	// read reads what members can't express, and returns the members that it has read.
	read func(b *document.Block, o rawjson.Object) []string
}

// Types of parts that streams create, too.
const (
	KindThinking   = "thinking"
	KindToolUse    = "tool_use"
	KindOutputText = "output_text"

	// KindSearchResult and KindCompaction are texts with something beside them.
	KindSearchResult = "search_result"
	KindCompaction   = "compaction"

	// KindContent is the type of a source with content, which is kept whole beside its text.
	KindContent = "content"
)

const (
	keepType = "type"
	// KeepRefusal is the flag of a text that is a refusal.
	KeepRefusal = "refusal"
)

func hasText(key string) func(rawjson.Object) bool {
	return func(o rawjson.Object) bool {
		_, value := o.Find(key)
		return rawjson.IsString(value)
	}
}

func hasObject(key string) func(rawjson.Object) bool {
	return func(o rawjson.Object) bool {
		_, value := o.Find(key)
		return rawjson.IsObject(value)
	}
}

func hasList(key string) func(rawjson.Object) bool {
	return func(o rawjson.Object) bool { return rawjson.IsArray(o.Get(key)) }
}

func hasAny(keys ...string) func(rawjson.Object) bool {
	return func(o rawjson.Object) bool { return slices.ContainsFunc(keys, o.Has) }
}

// readers has the forms of each type of part, and the first that fits counts. For a type that the normal form has too, none
// may fit a block of the normal form: each tells itself apart by a member that such a block doesn't have.
var readers = map[string][]reader{
	document.BlockText: {{to: document.BlockText, members: textMembers}},
	"input_text":       {{is: hasText("text"), to: document.BlockText, members: textMembers}},
	KindOutputText:     {{is: hasText("text"), to: document.BlockText, members: textMembers}},
	"refusal":          {{is: hasText("refusal"), to: document.BlockText, members: []string{"refusal", "text"}, keep: KeepRefusal}},

	document.BlockReasoning: {
		{is: isNoted, to: document.BlockReasoning, members: []string{"reasoning", "text"}},
		{is: isSummary, to: document.BlockReasoning, read: joined("summary", SummaryText)},
	},
	KindThinking: {
		{is: hasList("thinking"), to: document.BlockReasoning, read: joined("thinking", document.BlockText)},
		{to: document.BlockReasoning, members: []string{"thinking", "text"}},
	},
	ReasoningText:       {{is: hasText("text"), to: document.BlockReasoning, members: textMembers[:2], keep: keepType}},
	SummaryText:         {{is: hasText("text"), to: document.BlockReasoning, members: textMembers[:2], keep: keepType}},
	"redacted_thinking": {{to: document.BlockReasoning, keep: keepType, read: withoutText}},
	KindSearchResult:    {{to: document.BlockText, keep: keepType, read: joined("content", document.BlockText)}},
	KindCompaction:      {{is: hasAny("content"), to: document.BlockText, keep: keepType, members: []string{"content", "text"}}},
	"steering-message":  {{to: document.BlockText, keep: keepType, read: joined("parts", document.BlockText)}},

	document.BlockImage: {
		{is: hasAny("source"), to: document.BlockImage, read: TakeSource},
		{is: isMedia, to: document.BlockImage, members: mediaMembers, read: takeNested},
	},
	document.BlockAudio: {{is: isMedia, to: document.BlockAudio, members: append(mediaMembers, "format", "audio_format"), read: takeNested}},
	document.BlockVideo: {{is: isMedia, to: document.BlockVideo, members: mediaMembers, read: takeNested}},
	document.BlockFile: {
		{is: isFile, within: "file", members: mediaMembers},
		{is: hasObject("file"), to: document.BlockFile, within: "file", members: FileMembers},
		{is: hasAny("source_type"), to: document.BlockFile, members: mediaMembers, read: takeNested},
		{is: hasText("file"), to: document.BlockFile, members: mediaMembers},
		{is: isMedia, members: mediaMembers, read: takeNested},
	},
	"media":          {{members: mediaMembers, read: takeNested}},
	"reasoning-file": {{members: mediaMembers, read: takeNested, keep: keepType}},
	"text-plain":     {{to: document.BlockFile, members: mediaMembers, keep: keepType}},
	"tool_file":      {{to: document.BlockFile, members: mediaMembers, keep: keepType}},
	"document": {
		{is: hasObject("document"), to: document.BlockFile, within: "document", members: []string{"data", "value", "id", "id"}},
		{to: document.BlockFile, read: TakeSource},
	},
	"document_url":        {{is: hasText("document_url"), to: document.BlockFile, members: []string{"document_url", "media"}}},
	"computer_screenshot": {{to: document.BlockImage, members: imageMembers, keep: keepType}},
	"container_upload":    {{to: document.BlockFile, keep: keepType, members: []string{"file_id", "id"}}},
	"image_url": {
		{is: hasObject("image_url"), to: document.BlockImage, within: "image_url", members: URLMembers},
		{is: hasText("image_url"), to: document.BlockImage, members: []string{"image_url", "address"}},
	},
	"video_url": {
		{is: hasObject("video_url"), to: document.BlockVideo, within: "video_url", members: URLMembers},
		{is: hasText("video_url"), to: document.BlockVideo, members: []string{"video_url", "address"}},
	},
	"input_audio": {
		{is: hasObject("input_audio"), to: document.BlockAudio, within: "input_audio", members: InputAudioMembers},
		{is: hasAny("input_audio", "inputAudio", "audio", "transcript"), to: document.BlockAudio, members: audioMembers},
	},
	"input_image":  {{to: document.BlockImage, members: imageMembers, read: takeNested}},
	"input_file":   {{to: document.BlockFile, members: inputFileMembers, read: takeNested}},
	"output_audio": {{to: document.BlockAudio, members: mediaMembers}},

	KindToolUse:       {{to: document.BlockToolCall, members: toolUseMembers}},
	"server_tool_use": {{to: document.BlockServerToolCall, members: toolUseMembers}},
	"tool_result":     {{to: document.BlockServerToolResult, members: toolResultMembers, keep: keepType, read: takeStatus}},
	kindCall: {
		{is: hasTrue("providerExecuted"), to: document.BlockServerToolCall, members: sdkCallMembers},
		{to: document.BlockToolCall, members: sdkCallMembers},
	},
	"tool-result":             {{to: document.BlockServerToolResult, members: sdkResultMembers, read: takeIsError}},
	"tool-error":              {{to: document.BlockServerToolResult, members: sdkResultMembers, keep: keepType, read: takeIsError}},
	"tool_call_chunk":         {{to: document.BlockToolCall, members: chunkMembers, keep: keepType}},
	"invalid_tool_call":       {{to: document.BlockToolCall, members: chunkMembers, keep: keepType}},
	"server_tool_call_chunk":  {{to: document.BlockServerToolCall, members: chunkMembers, keep: keepType}},
	"server_tool_call_result": {{to: document.BlockServerToolResult, members: ownResultMembers}},
	KindFunctionCall:          {{to: document.BlockToolCall, members: []string{"call_id", "id", "name", "name", "arguments", "input"}}},
	KindCustomCall:            {{to: document.BlockToolCall, members: customMembers, keep: keepType}},
	"tool_search_output":      itemResult("tool_search_output"),
	"program_output":          itemResult("program_output"),

	"computer_call":    clientReader("computer_call"),
	"local_shell_call": clientReader("local_shell_call"),
	"shell_call":       clientReader("shell_call"),
	"apply_patch_call": clientReader("apply_patch_call"),
}

// Members that several forms have, or that are written in the same form.
var (
	textMembers       = []string{"text", "text", "annotations", "annotations", "citations", "annotations"}
	FileMembers       = []string{"file_data", "data", "file_id", "id"}
	URLMembers        = []string{"url", "address"}
	InputAudioMembers = []string{"data", "base64", "format", "audio_format"}
	toolUseMembers    = []string{"id", "id", "name", "name", "input", "input"}
	sdkCallMembers    = []string{"tool_call_id", "id", "tool_name", "name", "input", "input", "args", "input"}
	toolResultMembers = []string{"tool_use_id", "tool_call_id", "content", "output"}
	imageMembers      = append([]string{"image_url", "address"}, mediaMembers...)
	inputFileMembers  = append([]string{"file_data", "data", "file_url", "url"}, mediaMembers...)
	audioMembers      = append([]string{"input_audio", "media"}, mediaMembers...)
	sdkResultMembers  = []string{"tool_call_id", "tool_call_id", "output", "output", "result", "output", "error", "output"}
	ownResultMembers  = []string{"tool_call_id", "tool_call_id", "status", "status", "output", "output", "id", "id"}
	customMembers     = []string{"call_id", "id", "name", "name", "input", "free_input"}
	chunkMembers      = []string{"id", "id", "name", "name", "args", "input", "args", "free_input"}
)

// itemResult returns the reader for the item with a server call's result.
func itemResult(kind string) []reader {
	members := []string{"call_id", "tool_call_id", ServerResults[kind], "output", "output", "output"}
	return []reader{{to: document.BlockServerToolResult, members: members, keep: keepType, read: takeStatus}}
}

// clientReader returns the reader for a call of a provider's tool that the client executes. It is named after its item.
func clientReader(kind string) []reader {
	return []reader{{to: document.BlockToolCall, members: []string{"call_id", "id", ClientCalls[kind], "args"}, keep: keepType, read: takeName}}
}

// Suffixes of the types of calls and results of tools that a server executes.
const (
	SuffixToolUse    = "_tool_use"
	SuffixToolResult = "_tool_result"
	suffixResult     = "_result"
)

var (
	useReaders    = []reader{{to: document.BlockServerToolCall, members: toolUseMembers, keep: keepType}}
	resultReaders = []reader{hostedResultReaders[0], {to: document.BlockServerToolResult, members: toolResultMembers, keep: keepType, read: takeStatus}}
)

// suffixReaders returns the readers for calls and results of tools that a server executes. Servers often get new tools, so
// their types are recognized by suffix.
func suffixReaders(kind string) []reader {
	switch {
	case BlockFields[kind] != nil:
		return nil
	case strings.HasSuffix(kind, SuffixToolUse):
		return useReaders
	case strings.HasSuffix(kind, SuffixToolResult):
		return resultReaders
	case strings.HasSuffix(kind, SuffixCall):
		return hostedCallReaders
	case strings.HasSuffix(kind, suffixResult):
		return hostedResultReaders
	default:
		return nil
	}
}

// isNoted says whether a framework has written reasoning under its type.
func isNoted(o rawjson.Object) bool { return !o.Has("text") && rawjson.IsString(o.Get("reasoning")) }

func isSummary(o rawjson.Object) bool { return !o.Has("text") && rawjson.IsArray(o.Get("summary")) }

// joined reads the texts of a list of {"type","text"}. A list with anything else stays in the extras as well.
func joined(key, kind string) func(*document.Block, rawjson.Object) []string {
	return func(b *document.Block, o rawjson.Object) []string {
		list, ok := rawjson.ReadArray(o.Get(key))
		texts := make([]string, 0, len(list))
		for _, raw := range list {
			part, _ := rawjson.ReadObject(raw)
			text, isText := part.Text("text")
			of, typed := part.Text("type")
			if isText && (of == kind || !typed) {
				texts = append(texts, text)
			}
			ok = ok && (len(part) == 1 || typed && len(part) == 2)
		}
		if ok || len(texts) > 0 {
			all := strings.Join(texts, "\n")
			b.Text = &all
		}
		if !ok || len(texts) < len(list) {
			return nil
		}
		return []string{key}
	}
}

// The types of the entries of a reasoning item's summary and content. That of the content is kept as the extra "type".
const (
	SummaryText   = "summary_text"
	ReasoningText = "reasoning_text"
)

// Texts reads a list of texts. Those of another type than the usual one keep it.
func Texts(raw json.RawMessage, usual string) ([]document.Block, bool) {
	list, ok := rawjson.ReadArray(raw)
	if !ok {
		return nil, false
	}
	blocks := make([]document.Block, len(list))
	for i, raw := range list {
		o, _ := rawjson.ReadObject(raw)
		b := document.Block{Type: document.BlockReasoning}
		kind, typed := o.Text("type")
		if !typed || !b.Take("text", o.Get("text")) {
			return nil, false
		}
		b.Extras = o.Rest("type", "text")
		if kind != usual {
			b.Extras.Put(document.KeyType, rawjson.Quote(kind))
		}
		blocks[i] = b
	}
	return blocks, true
}

func withoutText(b *document.Block, _ rawjson.Object) []string {
	none := ""
	b.Text = &none
	return nil
}

// takeName names a call after the type of its item.
func takeName(b *document.Block, o rawjson.Object) []string {
	kind, _ := o.Text("type")
	name := strings.TrimSuffix(kind, SuffixCall)
	b.Name = &name
	return nil
}

// takeStatus sets the status of a server tool's result.
func takeStatus(b *document.Block, o rawjson.Object) []string {
	status := ResultStatus(b.Output, o.Get("is_error"))
	b.Status = &status
	return nil
}

// ResultStatus returns the status in a server tool's result: error if its content has an error type, or a flag is set.
func ResultStatus(output, isError json.RawMessage) string {
	content, _ := rawjson.ReadObject(output)
	kind, _ := content.Text("type")
	if strings.HasSuffix(kind, "_error") || string(isError) == "true" {
		return "error"
	}
	return "success"
}

func takeIsError(b *document.Block, o rawjson.Object) []string {
	status := "success"
	if string(o.Get("isError")) == "true" || o.Has("error") {
		status = "error"
	}
	b.Status = &status
	return nil
}
