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
)

const (
	keepType = "type"
	// KeepRefusal is the flag of a text that is a refusal.
	KeepRefusal = "refusal"
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
	"redacted_thinking": {{to: document.BlockReasoning, keep: keepType, read: withoutText}},

	document.BlockImage: {
		{is: hasAny("source"), to: document.BlockImage, read: TakeSource},
		{is: hasAny("source_type"), to: document.BlockImage, members: mediaFieldMembers, read: takeSourceType},
		{is: hasText("image"), to: document.BlockImage, members: append([]string{"image", "media"}, mimeMembers...)},
	},
	document.BlockFile: {
		{is: hasObject("file"), to: document.BlockFile, within: "file", members: FileMembers},
		{is: is("source_type", "text"), to: document.BlockFile, members: plainFileMembers, read: takeSourceType},
		{is: hasAny("source_type"), to: document.BlockFile, members: mediaFieldMembers, read: takeSourceType},
		{is: hasText("data"), members: append([]string{"data", "media", "id", "id"}, mimeMembers...)},
	},
	document.BlockAudio: {{is: hasAny("source_type"), to: document.BlockAudio, members: mediaFieldMembers, read: takeSourceType}},
	"media":             {{members: []string{"mime_type", "mime_type", "data", "base64", "file_uri", "url"}}},
	"document":          {{to: document.BlockFile, read: TakeSource}},
	"document_url":      {{is: hasText("document_url"), to: document.BlockFile, members: []string{"document_url", "media"}}},
	"container_upload":  {{to: document.BlockFile, keep: keepType, members: []string{"file_id", "id"}}},
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
		{is: hasText("input_audio"), to: document.BlockAudio, members: []string{"input_audio", "media"}},
	},
	"input_image": {{to: document.BlockImage, members: []string{"file_id", "id", "image_url", "address"}}},
	"input_file":  {{to: document.BlockFile, members: []string{"file_data", "data", "file_url", "url", "file_id", "id"}}},

	KindToolUse:       {{to: document.BlockToolCall, members: toolUseMembers}},
	"server_tool_use": {{to: document.BlockServerToolCall, members: toolUseMembers}},
	"tool_result":     {{to: document.BlockServerToolResult, members: toolResultMembers, keep: keepType, read: takeStatus}},
	"tool-call":       {{to: document.BlockToolCall, members: CallMembers}},
	"tool-result": {
		{to: document.BlockServerToolResult, members: []string{"toolCallId", "tool_call_id", "output", "output", "result", "output"}, read: takeIsError},
	},
	KindFunctionCall: {{to: document.BlockToolCall, members: []string{"call_id", "id", "name", "name", "arguments", "input"}}},
	KindCustomCall:   {{to: document.BlockToolCall, members: []string{"call_id", "id", "name", "name"}, keep: keepType}},

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
	mimeMembers       = []string{"mediaType", "mime_type", "mimeType", "mime_type", "mime_type", "mime_type"}
	mediaFieldMembers = []string{"url", "url", "data", "base64", "id", "id", "mime_type", "mime_type"}
	plainFileMembers  = []string{"url", "url", "id", "id", "mime_type", "mime_type"}
	toolUseMembers    = []string{"id", "id", "name", "name", "input", "input"}
	CallMembers       = []string{"toolCallId", "id", "toolName", "name", "input", "input", "args", "input"}
	toolResultMembers = []string{"tool_use_id", "tool_call_id", "content", "output"}
)

// clientReader returns the reader for a call of a provider's tool that the client executes. It is named after its item.
func clientReader(kind string) []reader {
	return []reader{{to: document.BlockToolCall, members: []string{"call_id", "id", ClientCalls[kind], "args"}, keep: keepType, read: takeName}}
}

// Suffixes of the types of calls and results of tools that a server executes.
const (
	SuffixToolUse    = "_tool_use"
	SuffixToolResult = "_tool_result"
)

var (
	useReaders    = []reader{{to: document.BlockServerToolCall, members: toolUseMembers, keep: keepType}}
	resultReaders = []reader{{to: document.BlockServerToolResult, members: toolResultMembers, keep: keepType, read: takeStatus}}
)

// suffixReaders returns the readers for calls and results of tools that a server executes. Servers often get new tools, so
// their types are recognized by suffix.
func suffixReaders(kind string) []reader {
	switch {
	case strings.HasSuffix(kind, SuffixToolUse):
		return useReaders
	case strings.HasSuffix(kind, SuffixToolResult) && kind != document.BlockServerToolResult:
		return resultReaders
	default:
		return nil
	}
}

// isNoted says whether a framework has written reasoning under its type.
func isNoted(o rawjson.Object) bool { return !o.Has("text") && rawjson.IsString(o.Get("reasoning")) }

func isSummary(o rawjson.Object) bool { return !o.Has("text") && rawjson.IsArray(o.Get("summary")) }

// joined reads the text of a list of {"type","text"}, unless an element is something else or has other members.
func joined(key, kind string) func(*document.Block, rawjson.Object) []string {
	return func(b *document.Block, o rawjson.Object) []string {
		blocks, ok := Texts(o.Get(key), kind)
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
	SummaryText   = "summary_text"
	ReasoningText = "reasoning_text"
)

// Texts reads a list of texts that all have the given type.
func Texts(raw json.RawMessage, want string) ([]document.Block, bool) {
	list, ok := rawjson.ReadArray(raw)
	if !ok {
		return nil, false
	}
	blocks := make([]document.Block, len(list))
	for i, raw := range list {
		o, _ := rawjson.ReadObject(raw)
		b := document.Block{Type: document.BlockReasoning}
		if kind, _ := o.Text("type"); kind != want || !b.Take("text", o.Get("text")) {
			return nil, false
		}
		b.Extras = o.Rest("type", "text")
		blocks[i] = b
	}
	return blocks, true
}

func withoutText(b *document.Block, _ rawjson.Object) []string {
	none := ""
	b.Text = &none
	return nil
}

// takeSourceType reads the type of a source, which the field with the data determines.
func takeSourceType(_ *document.Block, o rawjson.Object) []string {
	kind, _ := o.Text("source_type")
	if slices.Contains([]string{"base64", "url", "id", "text"}, kind) {
		return []string{"source_type"}
	}
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
	if string(o.Get("isError")) == "true" {
		status = "error"
	}
	b.Status = &status
	return nil
}

// sourceKind is a type of a source: the member with the data, and its field.
type sourceKind struct{ Kind, Key, Field string }

// Sources are the types of sources. A source of another type, such as plain text
// or blocks, has no field, and is kept whole in the extras.
var Sources = []sourceKind{
	{"base64", "data", "base64"},
	{"url", "url", "url"},
	{"file", "file_id", "id"},
}

// TakeSource reads {"source":{"type","media_type","data"}}.
func TakeSource(b *document.Block, o rawjson.Object) []string {
	raw := o.Get("source")
	source, _ := rawjson.ReadObject(raw)
	kind, _ := source.Text("type")
	for _, s := range Sources {
		if s.Kind != kind || !b.Take(s.Field, source.Get(s.Key)) {
			continue
		}
		taken := []string{"type", s.Key}
		if s.Field == "base64" && b.Take("mime_type", source.Get("media_type")) {
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

// MediaOf returns the block type for a media type.
func MediaOf(mime *string) string {
	if mime == nil {
		return document.BlockFile
	}
	switch family, _, _ := strings.Cut(*mime, "/"); family {
	case document.BlockImage, document.BlockAudio, document.BlockVideo:
		return family
	default:
		return document.BlockFile
	}
}
