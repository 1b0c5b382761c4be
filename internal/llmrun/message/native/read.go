package native

import (
	"mime"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/check"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/envelope"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/part"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Read reads the native format, in any envelope.
func Read(src document.Source) (*document.Document, bool) {
	d, ok := envelope.Read(src, document.FormatNative, appendMessage)
	if !ok {
		return nil, false
	}
	if extras, ok := rawjson.ReadObject(d.Extras["extras"]); ok && len(d.Extras) == 1 && d.Shape == document.ShapeMessages {
		d.Shape, d.Extras = document.ShapeNormal, extras.Rest()
	}
	return d, true
}

func appendMessage(messages []document.Message, m document.Message, o rawjson.Object, taken []string) []document.Message {
	taken = append(taken, part.AddCalls(&m, o)...)
	m.Extras = part.Extras(o.Rest(taken...))
	return append(messages, m)
}

// Check validates a document of the native format.
func Check(v *check.Checker, src document.Source) {
	v.Envelope(src, checkMessage)
}

// checkMessage validates a message of the native format. String content is accepted as a single text.
func checkMessage(v *check.Checker, o rawjson.Object, p envelope.Place) {
	role := v.Role(o, p, document.RoleSystem, document.RoleReasoning, document.RoleUser, document.RoleAssistant, document.RoleTool)
	v.Blocks(o.Get("content"), p.Member("content"), func(b rawjson.Object, at string) { checkBlock(v, b, at, role) })
	v.ToolCalls(o.Get("tool_calls"), p.Member("tool_calls"), role, true)
	v.ToolCallID(o, p, role)
	checkExtras(v, o, p.Base)
	v.Usage(o.Get("usage_metadata"), p.Member("usage_metadata"))
}

func checkBlock(v *check.Checker, o rawjson.Object, at, role string) {
	kind := v.Part(o, at, role)
	if kind == "" {
		return
	}
	checkExtras(v, o, at)
	switch kind {
	case document.BlockText:
		checkAnnotations(v, o, at)
	case document.BlockReasoning:
		v.Text(o, "text", at, document.RuleTextRequired, true)
	case document.BlockImage, document.BlockFile, document.BlockAudio, document.BlockVideo:
		checkMedia(v, o, kind, at)
	default:
		if slices.Contains(check.BlockTypes, kind) || o.Has("extras") || len(o) == 1 {
			return // A provider's part that the normal form keeps.
		}
		v.Add(at+"/type", document.RuleBlockType, "unknown block type "+rawjson.Name(kind), "set it to "+check.Alternatives(check.BlockTypes))
	}
}

func checkExtras(v *check.Checker, o rawjson.Object, at string) {
	if extras := o.Get("extras"); extras != nil && !rawjson.IsObject(extras) {
		v.Add(at+"/extras", document.RuleExtrasObject, "extras is "+rawjson.Show(extras)+", not an object", "write it as an object, or remove it")
	}
}

func checkAnnotations(v *check.Checker, o rawjson.Object, at string) {
	raw := o.Get("annotations")
	if raw == nil {
		return
	}
	list, ok := rawjson.ReadArray(raw)
	if !ok {
		v.Add(at+"/annotations", document.RuleAnnotationsArray, "annotations is "+rawjson.Show(raw)+", not a list", "write it as a list of objects")
	}
	for i, raw := range list {
		if !rawjson.IsObject(raw) {
			v.Add(at+rawjson.Pointer("annotations", i), document.RuleAnnotationsArray, "an annotation is "+rawjson.Show(raw)+", not an object", "write it as an object")
		}
	}
}

func checkMedia(v *check.Checker, o rawjson.Object, kind, at string) {
	given, wrong := false, false
	for _, key := range []string{"base64", "url", "id", "text"} {
		s, ok := v.Text(o, key, at, document.RuleMediaSource, false)
		given = given || s != ""
		wrong = wrong || (!ok && o.Has(key))
	}
	if !given && !wrong {
		v.Add(at, document.RuleMediaSource, "the block of type "+kind+" has no data", "set base64, url, id or text")
	}
	raw, ok := v.Text(o, "mime_type", at, document.RuleMimeType, false)
	if !ok {
		return
	}
	media, _, err := mime.ParseMediaType(raw)
	family, subtype, _ := strings.Cut(media, "/")
	if err != nil || subtype == "" || (kind != document.BlockFile && family != kind) {
		v.Add(at+"/mime_type", document.RuleMimeType, rawjson.Name(raw)+" is not a media type for a block of type "+kind, "set it to one like "+mimeExamples[kind])
	}
}

var mimeExamples = map[string]string{
	document.BlockImage: "image/png", document.BlockFile: "application/pdf", document.BlockAudio: "audio/wav", document.BlockVideo: "video/mp4",
}
