package gemini

import (
	_ "embed"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/chunk"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/shape"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// isAnswer reports whether an object is a chunk of an answer, isLive whether it is a message of a live session.
var isAnswer, isLive = shape.Named("gemini_answer"), shape.Named("gemini_live")

// IsChunk reports whether an object is a chunk of an answer, a message of a live session, or an event of an interaction.
func IsChunk(o rawjson.Object) bool { return isAnswer(o) || isLive(o) || isInteraction(o) }

// Reduce combines the chunks of an answer, in camel or snake case, into the answer: {"candidates":[{"content":{"parts":[…]}}]}.
// For members in several chunks, the last value that isn't null counts, such as the usage of the last chunk. The events of an
// interaction make up an interaction.
func Reduce(chunks []json.RawMessage) (json.RawMessage, error) {
	s := stream{calls: map[int]*call{}}
	s.Read(chunks, s.add)
	if s.Understood() && !s.interacts {
		s.Answer.List("candidates")
	}
	return s.Finish("gemini")
}

type stream struct {
	chunk.Stream
	// calls are the calls, by candidate, to which further pieces may come.
	calls map[int]*call
	// live is true if the chunks are messages of a live session, interacts if they are events of an interaction.
	live, interacts bool
}

func (s *stream) add(o rawjson.Object) bool {
	if isInteraction(o) {
		return !s.Answer.Has("candidates") && s.addEvent(o)
	}
	if s.live = s.live || isLive(o); s.live && !s.interacts {
		return s.addLive(o)
	}
	if failure := o.Get(chunk.Error); rawjson.IsObject(failure) && !o.Has("candidates") {
		return s.Fail(failure)
	}
	raw := o.Get("candidates")
	list, isList := rawjson.ReadArray(raw)
	if s.interacts || !IsChunk(o) || !isList && !rawjson.IsNullOrAbsent(raw) || !rawjson.AllObjects(list) {
		return false
	}
	s.Answer.Add(o, "candidates")
	for i, piece := range chunk.Indexed(list) {
		s.addCandidate(i, s.Answer.List("candidates").At(i), piece)
	}
	return true
}

// logged are the members of a candidate that are lists for the tokens of a piece, or texts in pieces.
var logged = []string{
	"logprobsResult", "logprobs_result", "citationMetadata", "citation_metadata", "inputTranscription", "input_transcription",
	"outputTranscription", "output_transcription",
}

func (s *stream) addCandidate(i int, candidate *chunk.Partial, o rawjson.Object) {
	for _, m := range o {
		switch {
		case m.Key == "content" && !rawjson.IsNull(m.Value):
			s.addContent(i, candidate.Object("content"), m.Value)
		case slices.Contains(logged, m.Key):
			candidate.Grow(m.Key, m.Value)
		default:
			candidate.Set(m.Key, m.Value)
		}
	}
}

// addContent adds to the content. Anything else than a list of parts counts as a part. A text continues a text of the same kind;
// a call goes on until it says that it doesn't.
func (s *stream) addContent(i int, content *chunk.Partial, raw json.RawMessage) {
	if o, ok := rawjson.ReadObject(raw); ok {
		content.Add(o, "parts")
		raw = o.Get("parts")
	}
	parts, ok := rawjson.ReadArray(raw)
	if !ok && !rawjson.IsNullOrAbsent(raw) {
		parts = []json.RawMessage{raw}
	}
	for _, raw := range parts {
		part, _ := rawjson.ReadObject(raw)
		key, piece := functionCall(part)
		if before := s.calls[i]; before == nil || before.key != key || !before.open {
			delete(s.calls, i)
			if !isStreamed(piece) {
				content.Grow("parts", rawjson.EncodeArray([]json.RawMessage{raw}))
				continue
			}
			list := content.Key("parts")
			s.calls[i] = &call{part: list.At(list.End()), key: key}
		}
		s.calls[i].add(part, piece)
	}
}

// live are the members of messages of a live session.
var live = []string{
	"serverContent", "toolCall", "usageMetadata", "text", "data", "setupComplete", "toolCallCancellation", "goAway", "sessionResumptionUpdate",
	"voiceActivity", "voiceActivityDetectionSignal",
}

// addLive adds a message of a live session: content of the only candidate, calls, usage. The SDK's text and data repeat the content.
func (s *stream) addLive(o rawjson.Object) bool {
	if len(o.Without(live...)) > 0 {
		return false
	}
	said, _ := rawjson.ReadObject(o.Get("serverContent"))
	called, _ := rawjson.ReadObject(o.Get("toolCall"))
	calls, _ := rawjson.ReadArray(called.Get("functionCalls"))
	var parts []json.RawMessage
	if text := o.Get("text"); text != nil && said == nil {
		parts = append(parts, rawjson.Of("text", text).Encode())
	}
	if data := o.Get("data"); data != nil && said == nil {
		parts = append(parts, rawjson.Of("inlineData", rawjson.Of("data", data).Encode()).Encode())
	}
	for _, raw := range calls {
		parts = append(parts, rawjson.Of("functionCall", raw).Encode())
	}
	if usage := o.Get("usageMetadata"); usage != nil {
		s.Answer.Set("usageMetadata", usage)
	}
	if said != nil || parts != nil {
		candidate := s.Answer.List("candidates").At(0)
		s.addCandidate(0, candidate, said.Without("modelTurn", "content"))
		candidate.Object("content").Precede(rawjson.Of("role", rawjson.Quote("model")))
		s.addContent(0, candidate.Object("content"), said.Get("modelTurn"))
		s.addContent(0, candidate.Object("content"), rawjson.EncodeArray(parts))
	}
	return true
}

//go:embed stream.txt
var streamText string

// steps are the events of an interaction. Deltas of tools have any type.
var steps = chunk.NewTable(streamText, func(kind string, event rawjson.Object) rawjson.Object {
	if delta, _ := rawjson.ReadObject(event.Get("delta")); kind == "tool" {
		kind, _ = delta.Text("type")
	}
	return rawjson.Typed(kind)
})

func isInteraction(o rawjson.Object) bool {
	kind, _ := o.Text("event_type")
	return strings.HasPrefix(kind, "interaction.") || strings.HasPrefix(kind, "step.") || kind == chunk.Error && len(o) <= 3
}

func (s *stream) addEvent(o rawjson.Object) bool {
	s.interacts = true
	kind, _ := o.Text("event_type")
	if kind == chunk.Error {
		return s.Fail(o.Get(chunk.Error)) || !o.Has(chunk.Error)
	}
	if delta, ok := rawjson.ReadObject(o.Get("delta")); kind == "step.delta" && ok {
		name, _ := delta.Text("type")
		switch {
		case name == "text_annotation_delta": // It belongs to the text before it.
			text := rawjson.Typed("text").With("text", json.RawMessage(`""`))
			name, o = "text", o.With("delta", append(text, delta.Without("type")...).Encode())
		case !steps.Has(kind + "." + name):
			name = ""
		case name == "arguments_delta" && !delta.Has("arguments"), strings.HasPrefix(name, "thought_") && len(delta) == 1:
			return true // They may be absent.
		}
		kind += "." + name
	}
	return s.Apply(steps, kind, o)
}

// call is a call whose arguments are streamed.
type call struct {
	// part has the call under key.
	part *chunk.Partial
	key  string
	// open is true if a further piece follows.
	open bool
}

// functionCall returns the call in a part, and the spelling of its member.
func functionCall(part rawjson.Object) (string, rawjson.Object) {
	key, value := part.Find("function_call")
	if call, ok := rawjson.ReadObject(value); ok {
		return key, call
	}
	return "", nil
}

// goesOn reports whether more pieces of a call follow, isStreamed whether a call comes in pieces.
var goesOn, isStreamed = shape.Named("gemini_goes_on"), shape.Named("gemini_streamed")

// add adds a piece. Without streaming, a call doesn't say whether it goes on.
func (c *call) add(part, piece rawjson.Object) {
	c.part.Add(part, c.key)
	c.open = goesOn(piece)
	own := c.part.Object(c.key)
	for _, m := range piece {
		list, isList := rawjson.ReadArray(m.Value)
		switch {
		case m.Key == "willContinue", m.Key == "will_continue":
		case isList && (m.Key == "partialArgs" || m.Key == "partial_args"):
			for _, raw := range list {
				if !addArgument(own, raw) {
					own.Extend(m.Key, raw)
				}
			}
		default:
			own.Grow(m.Key, m.Value)
		}
	}
}

// maxPath is the number of steps in a path up to which it is followed.
const maxPath = 100

// stepPattern matches a step of a path such as $.items[0]['name'].
var stepPattern = regexp.MustCompile(`^(?:\.([^.\[]+)|\[(\d+)\]|\['(.*?)'\]|\["(.*?)"\])`)

// addArgument adds a piece of an argument, and says whether it has a place.
func addArgument(own *chunk.Partial, raw json.RawMessage) bool {
	o, _ := rawjson.ReadObject(raw)
	_, raw = o.Find("json_path")
	path, _ := rawjson.ReadString(raw)
	rest, ok := strings.CutPrefix(path, "$")
	place := own.Key("args")
	depth := 0
	for ; ok && place != nil && rest != "" && depth < maxPath; depth++ {
		found := stepPattern.FindStringSubmatch(rest)
		if found == nil {
			return false
		}
		rest = rest[len(found[0]):]
		if i, err := strconv.Atoi(found[2]); err == nil {
			place = place.At(i)
		} else {
			place = place.Key(found[1] + found[3] + found[4])
		}
	}
	value := json.RawMessage(`""`) // The piece that ends a text may have none.
	for _, key := range []string{"null_value", "bool_value", "number_value", "string_value"} {
		switch _, is := o.Find(key); {
		case key == "null_value" && is != nil:
			value = json.RawMessage("null")
		case !rawjson.IsNullOrAbsent(is):
			value = is
		}
	}
	return ok && place != nil && rest == "" && depth > 0 && place.GrowText(value)
}
