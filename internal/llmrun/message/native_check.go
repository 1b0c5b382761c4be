package message

import (
	"mime"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// checkNative validates a document of the native format.
func checkNative(v *validator, src Source) {
	v.envelope(src, func(o rawjson.Object, p place) { checkNativeMessage(v, o, p) })
}

// checkNativeMessage validates a message of the native format. String content is accepted as a single text.
func checkNativeMessage(v *validator, o rawjson.Object, p place) {
	role := v.role(o, p, RoleSystem, RoleReasoning, RoleUser, RoleAssistant, RoleTool)
	v.blocks(o.Get("content"), p.member("content"), func(b rawjson.Object, at string) { checkNativeBlock(v, b, at, role) })
	if calls := o.Get("tool_calls"); calls != nil {
		v.toolCalls(calls, p.member("tool_calls"), role)
	}
	v.toolCallID(o, p, role)
	checkExtras(v, o, p.base)
	if usage := o.Get("usage_metadata"); usage != nil {
		v.usage(usage, p.member("usage_metadata"))
	}
}

func checkNativeBlock(v *validator, o rawjson.Object, at, role string) {
	kind, ok := v.text(o, "type", at, ruleBlockType, true)
	if !ok {
		return
	}
	checkExtras(v, o, at)
	switch kind {
	case BlockText:
		v.text(o, "text", at, ruleTextRequired, true)
		checkAnnotations(v, o, at)
	case BlockReasoning:
		v.text(o, "text", at, ruleTextRequired, true)
	case BlockImage, BlockFile, BlockAudio, BlockVideo:
		checkMedia(v, o, kind, at)
	case BlockToolCall:
		v.toolCall(o, at, role)
	case BlockServerToolCall:
		if id, ok := v.text(o, "id", at, ruleServerToolCallID, true); ok {
			v.serverCalls.add(id)
		}
		v.text(o, "name", at, ruleServerToolCallName, true)
		v.object(o, "args", at, ruleServerToolCallArgs)
	case BlockServerToolResult:
		checkServerToolResult(v, o, at)
	default:
		v.add(at+"/type", ruleBlockType, "unknown block type "+rawjson.Name(kind), "set it to "+alternatives(blockTypes))
	}
}

var blockTypes = []string{
	BlockText, BlockReasoning, BlockImage, BlockFile, BlockAudio, BlockVideo, BlockToolCall, BlockServerToolCall, BlockServerToolResult,
}

func checkExtras(v *validator, o rawjson.Object, at string) {
	if extras := o.Get("extras"); extras != nil && !rawjson.IsObject(extras) {
		v.add(at+"/extras", ruleExtrasObject, "extras is "+rawjson.Show(extras)+", not an object", "write it as an object, or remove it")
	}
}

func checkAnnotations(v *validator, o rawjson.Object, at string) {
	raw := o.Get("annotations")
	if raw == nil {
		return
	}
	list, ok := rawjson.ReadArray(raw)
	if !ok {
		v.add(at+"/annotations", ruleAnnotationsArray, "annotations is "+rawjson.Show(raw)+", not a list", "write it as a list of objects")
	}
	for i, raw := range list {
		if !rawjson.IsObject(raw) {
			v.add(at+rawjson.Pointer("annotations", i), ruleAnnotationsArray, "an annotation is "+rawjson.Show(raw)+", not an object", "write it as an object")
		}
	}
}

// media validates a block that contains or references data.
func checkMedia(v *validator, o rawjson.Object, kind, at string) {
	given, wrong := false, false
	for _, key := range []string{"base64", "url", "id"} {
		s, ok := v.text(o, key, at, ruleMediaSource, false)
		given = given || s != ""
		wrong = wrong || (!ok && o.Has(key))
	}
	if !given && !wrong {
		v.add(at, ruleMediaSource, "the block of type "+kind+" has no data", "set base64, url or id")
	}
	raw, ok := v.text(o, "mime_type", at, ruleMimeType, false)
	if !ok {
		return
	}
	media, _, err := mime.ParseMediaType(raw)
	family, subtype, _ := strings.Cut(media, "/")
	if err != nil || subtype == "" || (kind != BlockFile && family != kind) {
		v.add(at+"/mime_type", ruleMimeType, rawjson.Name(raw)+" is not a media type of "+article(kind), "set it to one like "+mimeExamples[kind])
	}
}

var mimeExamples = map[string]string{
	BlockImage: "image/png", BlockFile: "application/pdf", BlockAudio: "audio/wav", BlockVideo: "video/mp4",
}

func article(kind string) string {
	if slices.Contains([]string{BlockImage, BlockAudio}, kind) {
		return "an " + kind
	}
	return "a " + kind
}

func checkServerToolResult(v *validator, o rawjson.Object, at string) {
	if id, ok := v.text(o, "tool_call_id", at, ruleServerToolResultCall, true); ok && !v.serverCalls.has(id) {
		v.add(at+"/tool_call_id", ruleServerToolResultCall, "no earlier server_tool_call has the ID "+rawjson.Name(id),
			v.serverCalls.hint("set it to the ID of the server_tool_call that produced this result"))
	}
	v.text(o, "id", at, ruleServerToolResultID, false)
	if status, ok := v.text(o, "status", at, ruleServerToolResultStatus, true); ok && status != "success" && status != "error" {
		v.add(at+"/status", ruleServerToolResultStatus, "unknown status "+rawjson.Name(status), "set it to success or error")
	}
}
