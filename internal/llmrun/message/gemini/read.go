package gemini

import (
	"encoding/json"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/check"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/envelope"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/part"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/shape"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// shapeContents is {"contents":[…]}, and shapeCandidates {"candidates":[{"content":{…}}]}. shapeContent is {"content":{…}}: a candidate
// alone, with the usage beside it, as Google's Agent Development Kit logs it.
const (
	shapeContents   = "contents"
	shapeCandidates = "candidates"
	shapeContent    = "content"
)

// candidateKey is the extra of a message for the other members of its candidate.
const candidateKey = "candidate"

// keySystem is the member of a request, or of its settings in SDKs, with the system prompt.
const keySystem = "system_instruction"

// Has reports whether a document is a request or an answer of that provider.
func Has(src document.Source) bool {
	o := src.Object
	if src.Side == document.Outputs {
		if isBlocked(o) || isAlone(o) {
			return true
		}
		candidates, ok := src.List("candidates")
		told := len(candidates) > 0 || o.Has("usageMetadata") || o.Has("usage_metadata") || o.Has("promptFeedback")
		return ok && told && (len(candidates) == 0 || isCandidate.FitsAll(candidates))
	}
	contents := o.Get("contents")
	list, _ := src.List("contents")
	isMessage := func(raw json.RawMessage) bool {
		return rawjson.IsString(raw) || isContent.Fits(raw) || isEmpty.Fits(raw)
	}
	return isMessage(contents) || shape.Most(list, isMessage)
}

// isContent reports whether an object is {"role","parts"}, or a part alone; isEmpty, whether it has a role and no parts, like the content of
// an empty answer; isCandidate, whether its content, if it has one, is one of these.
var isContent, isEmpty, isCandidate = shape.Named("gemini_content"), shape.Named("gemini_empty"), shape.Named("gemini_candidate")

// isBlocked reports whether an answer only says why the prompt was blocked, isAlone whether it is one candidate.
var isBlocked, isAlone = shape.Named("gemini_blocked"), shape.Named("gemini_alone")

// Read reads contents and candidates. Answers of functions become separate messages.
func Read(src document.Source) (*document.Document, bool) {
	o, side := src.Object, src.Side
	d := &document.Document{Format: document.FormatGemini, Side: side, Shape: shapeContents, Messages: []document.Message{}}
	if side == document.Outputs && isAlone(o) {
		d.Shape, d.Extras = shapeContent, o.Rest("content")
		addContent(d, o.Get("content"), document.RoleAssistant)
		return d, true
	}
	if side == document.Outputs {
		d.Shape, d.Extras = shapeCandidates, o.Rest("candidates")
		candidates, _ := src.List("candidates")
		d.Messages = slices.Grow(d.Messages, len(candidates))
		for _, candidate := range rawjson.Objects(candidates) {
			at := len(d.Messages)
			addContent(d, candidate.Get("content"), document.RoleAssistant)
			d.Messages[at].Extras.PutObject(candidateKey, candidate.Rest("content"))
		}
		return d, true
	}
	taken := []string{"contents"}
	config, _ := rawjson.ReadObject(o.Get("config"))
	if key, system := o.Find(keySystem); addSystem(d, system) {
		taken = append(taken, key)
	}
	if key, system := config.Find(keySystem); addSystem(d, system) {
		taken = append(taken, "config")
		d.Extras.Put("config", rawjson.EncodeMembers(config.Rest(key)))
	}
	contents := o.Get("contents")
	list, ok := src.List("contents")
	if !ok {
		list = []json.RawMessage{contents}
	}
	for key, value := range o.Rest(taken...) {
		d.Extras.Put(key, value)
	}
	d.AddEntries(list, func(raw json.RawMessage) { addContent(d, raw, document.RoleUser) }, rawjson.IsString)
	return d.KeepAside()
}

// addSystem reads a system instruction, and says whether it is one.
func addSystem(d *document.Document, raw json.RawMessage) bool {
	if rawjson.IsEmpty(raw) || !rawjson.IsString(raw) && !isContent.Fits(raw) {
		return false
	}
	start := len(d.Messages)
	addContent(d, raw, document.RoleSystem)
	for i := range d.Messages[start:] {
		d.Messages[start+i].Role = document.RoleSystem
	}
	return true
}

// addContent reads a content, a part alone, or a string. A candidate may have no content.
func addContent(d *document.Document, raw json.RawMessage, usual string) {
	o, _ := rawjson.ReadObject(raw)
	var parts []json.RawMessage
	var rest document.Extras
	switch {
	case o.Has("parts"), isEmpty.Fits(raw):
		taken := make([]string, 0, 2)
		if list, ok := rawjson.ReadArray(o.Get("parts")); ok && part.AreParts(list) || rawjson.IsVoidOrAbsent(o.Get("parts")) {
			parts, taken = list, append(taken, "parts")
		}
		said, _ := o.Text("role")
		if role, known := envelope.RoleOf(said); known { // The default is the user, or the model among candidates.
			usual, taken = role, append(taken, "role")
		}
		rest = o.Rest(taken...)
	case len(o) > 0, rawjson.IsString(raw):
		parts = []json.RawMessage{raw}
	}
	start := len(d.Messages)
	d.Messages = part.Split(d.Messages, parts, usual, readFunctionResponse, part.AppendUntyped)
	document.AddBeside(&d.Messages[start].Extras, rest)
}

// readFunctionResponse reads {"functionResponse":{"id","name","response","parts"}}.
func readFunctionResponse(o rawjson.Object) (document.Message, bool) {
	key, value := o.Find("function_response")
	inner, ok := rawjson.ReadObject(value)
	if !ok {
		return document.Message{}, false
	}
	m := part.Answer(inner, "id", "response", part.AnyText)
	if parts, ok := rawjson.ReadArray(m.Extras["parts"]); ok && rawjson.AllObjects(parts) {
		m.Extras = m.Extras.Without("parts")
		for _, o := range rawjson.Objects(parts) {
			m.Content = part.AppendUntyped(m.Content, o)
		}
	}
	document.AddBeside(&m.Extras, o.Rest(key, "function_response").RemoveVoid())
	return m, true
}

// Check validates contents and candidates.
func Check(v *check.Checker, src document.Source) {
	o := src.Object
	if v.Side == document.Outputs && isAlone(o) {
		content, _ := rawjson.ReadObject(o.Get("content"))
		checkContent(v, content, v.Base+"/content")
		return
	}
	if v.Side == document.Outputs {
		candidates, _ := src.List("candidates")
		v.Each(candidates, "candidates", func(candidate rawjson.Object, at string) {
			content, _ := rawjson.ReadObject(candidate.Get("content"))
			checkContent(v, content, at+"/content")
		})
		return
	}
	config, _ := rawjson.ReadObject(o.Get("config"))
	key, system := o.Find(keySystem)
	beside, _ := rawjson.ReadObject(system)
	v.Misplaced(beside, "parts", "content", v.Base+rawjson.Pointer(key))
	key, system = config.Find(keySystem)
	inConfig, _ := rawjson.ReadObject(system)
	v.Misplaced(inConfig, "parts", "content", v.Base+rawjson.Pointer("config", key))
	if content, ok := rawjson.ReadObject(o.Get("contents")); ok {
		checkContent(v, content, v.Base+"/contents")
	}
	list, _ := src.List("contents")
	v.Each(list, "contents", func(content rawjson.Object, at string) { checkContent(v, content, at) }, rawjson.IsString)
}

func checkContent(v *check.Checker, o rawjson.Object, at string) {
	if role := o.Get("role"); !rawjson.IsNullOrAbsent(role) {
		v.Role(o, envelope.Place{Base: at}, "user", "model", "function", "tool", "system")
	}
	v.Misplaced(o, "parts", "content", at)
	parts, ok := rawjson.ReadArray(o.Get("parts"))
	if (!ok || !part.AreParts(parts)) && !rawjson.IsVoidOrAbsent(o.Get("parts")) {
		v.Add(at+"/parts", document.RuleContentBlocks, "parts is not a list of parts", `write it as [{"text": …}]`)
	}
	for i, part := range rawjson.Objects(parts) {
		at := at + rawjson.Pointer("parts", i)
		said := part.Rest().RemoveVoid()
		if len(said) == 0 && !rawjson.IsString(part.Get("text")) {
			v.Add(at, document.RuleBlockType, "the part has none of the members of a part", "add text, inlineData, functionCall or another member")
		}
		v.Untyped(part, at, "")
	}
}
