package usage

import (
	"encoding/json"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// place is one kind of location for answers in the outputs of a run.
type place struct {
	answers []found
	// all says that each answer belongs to a separate call. Otherwise, all of them belong to one call, whose usage each may
	// report.
	all bool
}

// answersIn lists the locations of answers: in the outputs, and then under a decorator's own key.
func answersIn(outputs rawjson.Object) []place {
	at := rawjson.Pointer("outputs")
	places := answersAt(outputs, at)
	for _, key := range []string{"output", "outputs", "result"} {
		value := outputs.Get(key)
		if inner, ok := rawjson.ReadObject(value); ok {
			places = append(places, answersAt(inner, at+rawjson.Pointer(key))...)
		} else if rawjson.IsArray(value) {
			places = append(places, place{answers: messages(value, at+rawjson.Pointer(key)), all: true})
		}
	}
	return places
}

func answersAt(o rawjson.Object, at string) []place {
	return []place{
		{answers: values(o, at)}, {answers: generations(o, at), all: true},
		{answers: messages(o.Get("messages"), at+rawjson.Pointer("messages")), all: true}, {answers: choices(o, at)},
	}
}

// values returns the outputs that are objects: messages, constructors of messages, or a provider's whole answer.
func values(outputs rawjson.Object, at string) []found {
	var all []found
	for _, m := range outputs {
		if rawjson.IsObject(m.Value) {
			all = append(all, unwrapped(m.Value, at+rawjson.Pointer(m.Key)))
		}
	}
	return all
}

// generations returns the messages of generations. A list contains the generations of one call, which all report its usage.
func generations(outputs rawjson.Object, place string) []found {
	var all []found
	lists, _ := rawjson.ReadArray(outputs.Get("generations"))
	for i, raw := range lists {
		at := place + rawjson.Pointer("generations", i)
		list, nested := rawjson.ReadArray(raw)
		switch {
		case !nested && i > 0: // A flat list is one call.
		case !nested:
			all = append(all, ofGeneration(raw, at))
		case len(list) > 0:
			all = append(all, ofGeneration(list[0], at+rawjson.Pointer(0)))
		}
	}
	return all
}

// ofGeneration returns the message of a generation, or the generation itself if it has none.
func ofGeneration(raw json.RawMessage, at string) found {
	o, _ := rawjson.ReadObject(raw)
	if m := o.Get("message"); rawjson.IsObject(m) {
		return unwrapped(m, at+rawjson.Pointer("message"))
	}
	return found{raw, at}
}

// messages returns those of a list that an assistant has written. Other roles are not answers of a model.
func messages(raw json.RawMessage, at string) []found {
	var all []found
	list, _ := rawjson.ReadArray(raw)
	for i, raw := range list {
		m, _ := rawjson.ReadObject(raw)
		if role, ok := m.Text("role"); ok && role != document.RoleAssistant {
			continue
		}
		all = append(all, unwrapped(raw, at+rawjson.Pointer(i)))
	}
	return all
}

// choices returns the messages of choices.
func choices(outputs rawjson.Object, at string) []found {
	var all []found
	list, _ := rawjson.ReadArray(outputs.Get("choices"))
	for i, raw := range list {
		choice, _ := rawjson.ReadObject(raw)
		all = append(all, unwrapped(choice.Get("message"), at+rawjson.Pointer("choices", i, "message")))
	}
	return all
}

// unwrapped returns a message, or the message inside a constructor or a message with a separate type.
func unwrapped(raw json.RawMessage, at string) found {
	o, _ := rawjson.ReadObject(raw)
	for _, wrapper := range [][2]string{{"lc", "kwargs"}, {"type", "data"}} {
		marker, key := wrapper[0], wrapper[1]
		if inner := o.Get(key); o.Has(marker) && rawjson.IsObject(inner) && !o.Has("usage_metadata") {
			return found{inner, at + rawjson.Pointer(key)}
		}
	}
	return found{raw, at}
}

// usageMetadata returns the usage_metadata of an answer.
func usageMetadata(answer found) []found {
	o, _ := rawjson.ReadObject(answer.raw)
	return atKey(o, "usage_metadata", answer.at)
}

func atKey(o rawjson.Object, key, at string) []found {
	if raw := o.Get(key); raw != nil {
		return []found{{raw, at + rawjson.Pointer(key)}}
	}
	return nil
}

// isProviderBlock says whether usage_metadata is a provider's own block: one provider uses the same name.
func isProviderBlock(raw json.RawMessage) bool {
	o, _ := rawjson.ReadObject(raw)
	return slices.ContainsFunc(o, func(m rawjson.Member) bool { return slices.Contains(snakeCaseCounts, m.Key) })
}

// snakeCaseCounts are the members of that provider's block.
var snakeCaseCounts = []string{"prompt_token_count", "candidates_token_count", "response_token_count", "total_token_count"}

// answer is a possible provider's answer, and the tier of its prices.
type answer struct {
	object rawjson.Object
	at     string
	tier   string
}

func newAnswer(f found) answer {
	a := answer{at: f.at}
	a.object, _ = rawjson.ReadObject(f.raw)
	a.tier = a.readTier()
	return a
}

// The members in which answers contain a provider's own block, and the members that contain such members in turn.
var (
	// Some SDKs report the usage of one step, too, and that of all steps or models first counts.
	blockKeys  = []string{"modelUsage", "totalUsage", "usage", "usageMetadata", "usage_metadata", "token_usage", "tokenUsage", "token_count"}
	aroundKeys = []string{"response_metadata", "llm_output", "llmOutput", "generation_info", "generationInfo"}
)

// blocks lists the possible blocks of the provider.
func (a answer) blocks() []found {
	all := blocksIn(a.object, a.at)
	for _, key := range aroundKeys {
		inner, _ := rawjson.ReadObject(a.object.Get(key))
		all = append(all, blocksIn(inner, a.at+rawjson.Pointer(key))...)
	}
	return all
}

func blocksIn(o rawjson.Object, at string) []found {
	var all []found
	for _, key := range blockKeys {
		all = append(all, atKey(o, key, at)...)
	}
	if meta, ok := rawjson.ReadObject(o.Get("meta")); ok && (meta.Has("tokens") || meta.Has("billed_units") || meta.Has("billedUnits")) {
		all = append(all, found{o.Get("meta"), at + rawjson.Pointer("meta")})
	}
	// One provider counts without a block.
	if prompt, eval := o.Get("prompt_eval_count"), o.Get("eval_count"); prompt != nil || eval != nil {
		all = append(all, found{rawjson.Object(nil).WithRaw("prompt_eval_count", prompt).WithRaw("eval_count", eval).Encode(), at})
	}
	return all
}
