package message

import (
	"encoding/json"
	"slices"
	"strings"

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
	// members are pairs: a member of the part, and what Block.take is to read it as.
	members []string
	// keep is an extra that distinguishes the block from others of its type: keepType for the part's own type, or a flag.
	keep string
	// read reads what members can't express, and returns the members that it has read.
	read func(b *Block, o rawjson.Object) []string
}

// Types of parts that streams create, too.
const (
	kindThinking   = "thinking"
	kindToolUse    = "tool_use"
	kindOutputText = "output_text"
)

const (
	keepType    = "type"
	keepRefusal = "refusal"
)

func hasText(key string) func(rawjson.Object) bool {
	return func(o rawjson.Object) bool { return rawjson.IsString(o.Get(key)) }
}

func hasObject(key string) func(rawjson.Object) bool {
	return func(o rawjson.Object) bool { return rawjson.IsObject(o.Get(key)) }
}

func hasList(key string) func(rawjson.Object) bool {
	return func(o rawjson.Object) bool { return rawjson.IsArray(o.Get(key)) }
}

func hasAny(key string) func(rawjson.Object) bool {
	return func(o rawjson.Object) bool { return o.Has(key) }
}

// is says whether a member is a given string.
func is(key, value string) func(rawjson.Object) bool {
	return func(o rawjson.Object) bool {
		text, ok := o.Text(key)
		return ok && text == value
	}
}

// readers has the forms of each type of part, and the first that fits counts. For a type that the normal form has too, none
// may fit a block of the normal form: each tells itself apart by a member that such a block doesn't have.
var readers = map[string][]reader{
	BlockText:      {{to: BlockText, members: textMembers}},
	"input_text":   {{is: hasText("text"), to: BlockText, members: textMembers}},
	kindOutputText: {{is: hasText("text"), to: BlockText, members: textMembers}},
	"refusal":      {{is: hasText("refusal"), to: BlockText, members: []string{"refusal", "text"}, keep: keepRefusal}},

	BlockReasoning: {
		{is: isNoted, to: BlockReasoning, members: []string{"reasoning", "text"}},
		{is: isSummary, to: BlockReasoning, read: joined("summary", summaryText)},
	},
	kindThinking: {
		{is: hasList("thinking"), to: BlockReasoning, read: joined("thinking", BlockText)},
		{to: BlockReasoning, members: []string{"thinking", "text"}},
	},
	"redacted_thinking": {{to: BlockReasoning, keep: keepType, read: withoutText}},

	BlockImage: {
		{is: hasAny("source"), to: BlockImage, read: takeSource},
		{is: hasAny("source_type"), to: BlockImage, members: mediaFieldMembers, read: takeSourceType},
		{is: hasText("image"), to: BlockImage, members: append([]string{"image", "media"}, mimeMembers...)},
	},
	BlockFile: {
		{is: hasObject("file"), to: BlockFile, within: "file", members: fileMembers},
		{is: is("source_type", "text"), to: BlockFile, members: []string{"url", "url", "id", "id", "mime_type", "mime_type"}, read: takeSourceType},
		{is: hasAny("source_type"), to: BlockFile, members: mediaFieldMembers, read: takeSourceType},
		{is: hasText("data"), members: append([]string{"data", "media", "id", "id"}, mimeMembers...)},
	},
	BlockAudio:         {{is: hasAny("source_type"), to: BlockAudio, members: mediaFieldMembers, read: takeSourceType}},
	"media":            {{members: []string{"mime_type", "mime_type", "data", "base64", "file_uri", "url"}}},
	"document":         {{to: BlockFile, read: takeSource}},
	"document_url":     {{is: hasText("document_url"), to: BlockFile, members: []string{"document_url", "media"}}},
	"container_upload": {{to: BlockFile, keep: keepType, members: []string{"file_id", "id"}}},
	"image_url": {
		{is: hasObject("image_url"), to: BlockImage, within: "image_url", members: urlMembers},
		{is: hasText("image_url"), to: BlockImage, members: []string{"image_url", "address"}},
	},
	"video_url": {
		{is: hasObject("video_url"), to: BlockVideo, within: "video_url", members: urlMembers},
		{is: hasText("video_url"), to: BlockVideo, members: []string{"video_url", "address"}},
	},
	"input_audio": {
		{is: hasObject("input_audio"), to: BlockAudio, within: "input_audio", members: inputAudioMembers},
		{is: hasText("input_audio"), to: BlockAudio, members: []string{"input_audio", "media"}},
	},
	"input_image": {{to: BlockImage, members: []string{"file_id", "id", "image_url", "address"}}},
	"input_file":  {{to: BlockFile, members: []string{"file_data", "data", "file_url", "url", "file_id", "id"}}},

	kindToolUse:       {{to: BlockToolCall, members: toolUseMembers}},
	"server_tool_use": {{to: BlockServerToolCall, members: toolUseMembers}},
	"tool_result":     {{to: BlockServerToolResult, members: toolResultMembers, keep: keepType, read: takeStatus}},
	"tool-call":       {{to: BlockToolCall, members: sdkCallMembers}},
	"tool-result": {
		{to: BlockServerToolResult, members: []string{"toolCallId", "tool_call_id", "output", "output", "result", "output"}, read: takeIsError},
	},
	kindFunctionCall: {{to: BlockToolCall, members: []string{"call_id", "id", "name", "name", "arguments", "input"}}},
	kindCustomCall:   {{to: BlockToolCall, members: []string{"call_id", "id", "name", "name"}, keep: keepType}},

	"computer_call":    clientReader("computer_call"),
	"local_shell_call": clientReader("local_shell_call"),
	"shell_call":       clientReader("shell_call"),
	"apply_patch_call": clientReader("apply_patch_call"),
}

var (
	textMembers       = []string{"text", "text", "annotations", "annotations", "citations", "annotations"}
	fileMembers       = []string{"file_data", "data", "file_id", "id"}
	urlMembers        = []string{"url", "address"}
	inputAudioMembers = []string{"data", "base64", "format", "audio_format"}
	mimeMembers       = []string{"mediaType", "mime_type", "mimeType", "mime_type", "mime_type", "mime_type"}
	mediaFieldMembers = []string{"url", "url", "data", "base64", "id", "id", "mime_type", "mime_type"}
	toolUseMembers    = []string{"id", "id", "name", "name", "input", "input"}
	sdkCallMembers    = []string{"toolCallId", "id", "toolName", "name", "input", "input", "args", "input"}
	toolResultMembers = []string{"tool_use_id", "tool_call_id", "content", "output"}
)

// clientReader returns the reader for a call of a provider's tool that the client executes. It is named after its item.
func clientReader(kind string) []reader {
	return []reader{{to: BlockToolCall, members: []string{"call_id", "id", clientCalls[kind], "args"}, keep: keepType, read: takeName}}
}

const (
	suffixToolUse    = "_tool_use"
	suffixToolResult = "_tool_result"
)

var (
	useReaders    = []reader{{to: BlockServerToolCall, members: toolUseMembers, keep: keepType}}
	resultReaders = []reader{{to: BlockServerToolResult, members: toolResultMembers, keep: keepType, read: takeStatus}}
)

// suffixReaders returns the readers for calls and results of tools that a server executes. Servers often get new tools, so
// their types are recognized by suffix.
func suffixReaders(kind string) []reader {
	switch {
	case strings.HasSuffix(kind, suffixToolUse):
		return useReaders
	case strings.HasSuffix(kind, suffixToolResult) && kind != BlockServerToolResult:
		return resultReaders
	default:
		return nil
	}
}

// isNoted says whether a framework has written reasoning under its type.
func isNoted(o rawjson.Object) bool { return !o.Has("text") && rawjson.IsString(o.Get("reasoning")) }

func isSummary(o rawjson.Object) bool { return !o.Has("text") && rawjson.IsArray(o.Get("summary")) }

// joined reads the text of a list of {"type","text"}, unless an element is something else or has other members.
func joined(key, kind string) func(*Block, rawjson.Object) []string {
	return func(b *Block, o rawjson.Object) []string {
		blocks, ok := parseReasoning(o.Get(key), kind)
		texts := make([]string, len(blocks))
		for i := range blocks {
			ok = ok && blocks[i].Extras == nil
			texts[i] = *blocks[i].Text
		}
		if !ok {
			return nil
		}
		all := strings.Join(texts, "\n")
		b.Text = &all
		return []string{key}
	}
}

// The types of the entries of a reasoning item's summary and content. That of the content is kept as the extra "type".
const (
	summaryText   = "summary_text"
	reasoningText = "reasoning_text"
)

// parseReasoning reads a list of texts that all have the given type.
func parseReasoning(raw json.RawMessage, want string) ([]Block, bool) {
	list, ok := rawjson.ReadArray(raw)
	if !ok {
		return nil, false
	}
	blocks := make([]Block, len(list))
	for i, raw := range list {
		o, _ := rawjson.ReadObject(raw)
		b := Block{Type: BlockReasoning}
		if kind, _ := o.Text("type"); kind != want || !b.take("text", o.Get("text")) {
			return nil, false
		}
		b.Extras = o.Rest("type", "text")
		blocks[i] = b
	}
	return blocks, true
}

func withoutText(b *Block, _ rawjson.Object) []string {
	none := ""
	b.Text = &none
	return nil
}

// takeSourceType reads the type of a source, which the field with the data determines.
func takeSourceType(_ *Block, o rawjson.Object) []string {
	kind, _ := o.Text("source_type")
	if slices.Contains([]string{"base64", "url", "id", "text"}, kind) {
		return []string{"source_type"}
	}
	return nil
}

// takeName names a call after the type of its item.
func takeName(b *Block, o rawjson.Object) []string {
	kind, _ := o.Text("type")
	name := strings.TrimSuffix(kind, suffixCall)
	b.Name = &name
	return nil
}

// takeStatus sets the status of a server tool's result.
func takeStatus(b *Block, o rawjson.Object) []string {
	status := resultStatus(b.Output, o.Get("is_error"))
	b.Status = &status
	return nil
}

// resultStatus returns the status in a server tool's result: error if its content has an error type, or a flag is set.
func resultStatus(output, isError json.RawMessage) string {
	content, _ := rawjson.ReadObject(output)
	kind, _ := content.Text("type")
	if strings.HasSuffix(kind, "_error") || string(isError) == "true" {
		return "error"
	}
	return "success"
}

func takeIsError(b *Block, o rawjson.Object) []string {
	status := "success"
	if string(o.Get("isError")) == "true" {
		status = "error"
	}
	b.Status = &status
	return nil
}

// sourceKind is a type of a source: the member with the data, and its field.
type sourceKind struct{ kind, key, field string }

// sources are the types of sources. A source of another type, such as plain text
// or blocks, has no field, and is kept whole in the extras.
var sources = []sourceKind{
	{"base64", "data", "base64"},
	{"url", "url", "url"},
	{"file", "file_id", "id"},
}

// takeSource reads {"source":{"type","media_type","data"}}.
func takeSource(b *Block, o rawjson.Object) []string {
	raw := o.Get("source")
	source, _ := rawjson.ReadObject(raw)
	kind, _ := source.Text("type")
	for _, s := range sources {
		if s.kind != kind || !b.take(s.field, source.Get(s.key)) {
			continue
		}
		taken := []string{"type", s.key}
		if s.field == "base64" && b.take("mime_type", source.Get("media_type")) {
			taken = append(taken, "media_type")
		}
		if rest := source.Rest(taken...); rest != nil {
			b.Extras.Put("source", rawjson.Object(nil).WithAll(rest).Encode())
		}
		return []string{"source"}
	}
	if raw != nil {
		b.Extras.Put("source", raw)
	}
	return []string{"source"}
}

// mediaOf returns the block type for a media type.
func mediaOf(mime *string) string {
	if mime == nil {
		return BlockFile
	}
	switch family, _, _ := strings.Cut(*mime, "/"); family {
	case BlockImage, BlockAudio, BlockVideo:
		return family
	default:
		return BlockFile
	}
}
