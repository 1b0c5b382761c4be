package usage

import (
	"encoding/json"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/decimal"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Reading is the usage of a run, and where it was found.
type Reading struct {
	Usage Usage
	// Source is the JSON pointer of the object that reports it, the first one if several messages do; empty if none does.
	Source   string
	Problems []document.Problem
}

// found is a value that may be a usage, or have one, and its location.
type found struct {
	raw json.RawMessage
	at  string
	rawjson.Object
}

func newFound(raw json.RawMessage, at string) found {
	o, _ := rawjson.ReadObject(raw)
	return found{raw, at, o}
}

// member returns the value of a key; nothing if there is none.
func (f found) member(key string) found {
	if value := f.Get(key); value != nil {
		return newFound(value, f.at+"/"+key)
	}
	return found{}
}

// Kind says whose usage the outputs of a run may contain.
type Kind int

// The kinds of runs.
const (
	Call Kind = iota // a model call, or a run without a type that may be one: the answers in its outputs are its own
	Work             // done by a run that isn't a model call, such as a tool: it may have a cost
	Flow             // Flow calls other runs and passes on what they return, including their usage
)

// Places are the locations in which a run may report its usage.
type Places struct {
	Kind    Kind
	Outputs json.RawMessage
	// Metadata is usage_metadata in the metadata of the run, and MetadataPointer its location in the run.
	Metadata        json.RawMessage
	MetadataPointer string
	RunMetadata     map[string]json.RawMessage
}

// Find finds the tokens and costs that a run itself reports.
//
// Clients convert a provider's usage to usage_metadata, copy it to the metadata and may also keep the original, so only the
// first location that contains anything counts. In order: outputs.usage_metadata, extra.metadata.usage_metadata, the
// usage_metadata of answers within the outputs, and the blocks of providers. If none but a block has the cost, or the details of the same
// totals, they are added.
//
// Runs other than calls have no tokens: they pass on the answers of calls, where the tokens were counted. They may report
// costs in the first two locations.
func (p Places) Find() Reading {
	if unfolded := message.Unfold(p.Outputs, document.Outputs); unfolded != nil {
		p.Outputs = unfolded
	}
	whole := place{answers: []*answer{newAnswer(p.Outputs, "/outputs")}}
	reading := p.find(whole)
	if p.Kind != Call {
		return reading
	}
	charges, u := p.charges(whole), &reading.Usage
	for unit, counted := range map[string]*int64{"input_tokens": u.Input.Tokens, "output_tokens": u.Output.Tokens} {
		if charges.Units[unit].Equal(decimal.Of(orZero(counted))) || counted == nil {
			delete(charges.Units, unit)
		}
	}
	if !charges.IsZero() && (u.hasTokens() || len(charges.Units) > 0) {
		u.Charges = charges
	}
	return reading
}

func (p Places) find(whole place) Reading {
	metadata := place{answers: []*answer{newAnswer(p.Metadata, p.MetadataPointer)}}
	var reading Reading
	stated := reading.take(whole, metadataOf) || reading.take(metadata, ofMetadata)
	if p.Kind != Call {
		return reading.ofOther(p.Kind)
	}
	places := whole.answers[0].within()
	stated = stated || slices.ContainsFunc(places, func(p place) bool { return reading.take(p, metadataOf) })
	for _, place := range append([]place{whole}, places...) {
		blocks := Reading{Problems: reading.Problems}
		switch found := blocks.take(place, ofProvider); {
		case found && !stated:
			return blocks
		case found:
			reading.Usage = reading.Usage.with(blocks.Usage)
		}
	}
	return reading
}

func (u Usage) withCostsOf(v Usage) Usage {
	u.Input.Cost, u.Output.Cost, u.TotalCost = v.Input.Cost, v.Output.Cost, v.TotalCost
	u.Input.CostDetails, u.Output.CostDetails = v.Input.CostDetails, v.Output.CostDetails
	return u
}

// costs returns the usage without its tokens.
func (u Usage) costs() Usage { return Usage{}.withCostsOf(u) }

// with adds the costs that another usage of the call has, and the details if it has the same totals.
func (u Usage) with(v Usage) Usage {
	if u.costs().IsZero() {
		u = u.withCostsOf(v)
	}
	in, out, _ := u.Tokens()
	if i, o, _ := v.Tokens(); len(u.Input.Details)+len(u.Output.Details) == 0 && i == in && o == out {
		u.Input.Details, u.Output.Details = v.Input.Details, v.Output.Details
	}
	return u
}

// ofOther returns the usage of a run that isn't a call. If a flow reports tokens beside its costs, it passes them on.
func (u Reading) ofOther(kind Kind) Reading {
	if u.Usage.costs().IsZero() || kind == Flow && u.Usage.hasTokens() {
		return Reading{Problems: u.Problems}
	}
	u.Usage = u.Usage.costs()
	return u
}

func (u Usage) hasTokens() bool {
	return u.Input.Tokens != nil || u.Output.Tokens != nil || u.TotalTokens != nil
}

// take adds up what read finds in the answers of a place, and says whether it finds anything.
func (u *Reading) take(p place, read func(*answer) Reading) bool {
	var calls []Usage
	for _, answer := range p.answers {
		call := read(answer)
		u.Problems = append(u.Problems, call.Problems...)
		if call.Usage.IsZero() {
			continue
		}
		if calls == nil {
			u.Source = call.Source
		}
		if calls = append(calls, call.Usage); !p.all {
			break
		}
	}
	if calls != nil {
		u.Usage = sumUsage(calls)
	}
	return calls != nil
}

func metadataOf(a *answer) Reading { return ofMetadata(&answer{found: a.member("usage_metadata")}) }

// ofMetadata reads usage_metadata. Null means that the provider sent none, and Gemini's own block has the same name.
func ofMetadata(f *answer) Reading {
	if f.Object == nil || slices.ContainsFunc(geminiKeys, f.Has) {
		return Reading{}
	}
	usage, problems := Read(f.raw)
	for i := range problems {
		problems[i].Pointer = f.at + problems[i].Pointer
	}
	return Reading{usage, f.at, problems}
}

var geminiKeys = []string{"prompt_token_count", "candidates_token_count", "response_token_count", "total_token_count"}

// ofProvider reads the first of a provider's blocks in an answer that counts anything; another one may have its cost or its details.
func ofProvider(a *answer) Reading {
	var call Reading
	a.read()
	for _, block := range a.blocks {
		switch usage, problems := a.providerUsage(*block); {
		case usage.IsZero():
		case call.Usage.IsZero():
			call = Reading{usage, block.at, problems}
		default:
			call.Usage = call.Usage.with(usage)
		}
	}
	return call
}

// answer is a value that may be the answer of a call.
type answer struct {
	found
	// blocks are its usages, and beside the other values that count; nil before read.
	blocks []*providerBlock
	beside []leaf
	// places are those within it; nil before within.
	places []place
}

func newAnswer(raw json.RawMessage, at string) *answer { return &answer{found: newFound(raw, at)} }

// read reads the values that count, once.
func (a *answer) read() {
	if a.blocks != nil {
		return
	}
	a.blocks = []*providerBlock{}
	for _, block := range a.ownBlocks() {
		a.blocks = append(a.blocks, newBlock(block))
	}
	for _, key := range aroundKeys {
		for _, block := range a.member(key).ownBlocks() {
			a.blocks = append(a.blocks, newBlock(block))
		}
	}
	a.beside = leavesOf(a.Object, ofAnswer)
}

// place is one kind of location for answers in the outputs of a run.
type place struct {
	answers []*answer
	// all says that each answer belongs to a separate call. Otherwise, all of them belong to one call, whose usage each may
	// report.
	all bool
}

// within lists the locations of answers: in the outputs, and then under a decorator's own key.
func (a *answer) within() []place {
	if a.places != nil {
		return a.places
	}
	a.places = answersAt(a.Object, a.at)
	for _, key := range []string{"output", "outputs", "result", "response"} {
		if inner := a.member(key); inner.Object != nil {
			a.places = append(a.places, answersAt(inner.Object, inner.at)...)
		} else if rawjson.IsArray(inner.raw) {
			a.places = append(a.places, place{messages(inner.raw, inner.at, ""), true})
		}
	}
	return a.places
}

func answersAt(o rawjson.Object, at string) []place {
	return []place{
		{values(o, at), false}, {generations(o.Get("generations"), at+"/generations"), true},
		{messages(o.Get("messages"), at+"/messages", ""), true}, {messages(o.Get("choices"), at+"/choices", "message"), false},
		{messages(o.Get("choices"), at+"/choices", ""), false},
	}
}

// values returns the outputs that are objects: messages, constructors of messages, or a provider's whole answer.
func values(outputs rawjson.Object, at string) []*answer {
	var all []*answer
	for _, m := range outputs {
		if rawjson.IsObject(m.Value) {
			all = append(all, unwrapped(newFound(m.Value, at+rawjson.Pointer(m.Key))))
		}
	}
	return all
}

// generations returns the messages of generations, or those themselves that have none. A list contains the generations of one
// call, which all report its usage.
func generations(raw json.RawMessage, at string) []*answer {
	var all []*answer
	lists, _ := rawjson.ReadArray(raw)
	for i, raw := range lists {
		first := newFound(raw, at+rawjson.Pointer(i))
		if list, nested := rawjson.ReadArray(raw); len(list) > 0 {
			first = newFound(list[0], first.at+"/0")
		} else if nested || i > 0 {
			continue // A flat list is one call.
		}
		if m := first.member("message"); m.Object != nil {
			all = append(all, unwrapped(m))
		} else {
			all = append(all, &answer{found: first})
		}
	}
	return all
}

// messages returns those of a list that an assistant has written, or those under a key of its elements. Other roles are not
// answers of a model.
func messages(raw json.RawMessage, at, key string) []*answer {
	var all []*answer
	list, _ := rawjson.ReadArray(raw)
	for i, raw := range list {
		f := newFound(raw, at+rawjson.Pointer(i))
		if key != "" {
			f = f.member(key)
		}
		if role, ok := f.Text("role"); !ok || role == document.RoleAssistant {
			all = append(all, unwrapped(f))
		}
	}
	return all
}

// unwrapped returns a message, or the message inside a constructor or a message with a separate type.
func unwrapped(f found) *answer {
	for _, wrapper := range [][2]string{{"lc", "kwargs"}, {"type", "data"}} {
		marker, key := wrapper[0], wrapper[1]
		if f.Has(marker) && rawjson.IsObject(f.Get(key)) && !f.Has("usage_metadata") {
			return &answer{found: f.member(key)}
		}
	}
	return &answer{found: f}
}

// The members in which answers contain a provider's own block, and the members that contain such members in turn.
var (
	// Some SDKs report the usage of one step, too, and that of all steps or models first counts.
	blockKeys = []string{"modelUsage", "totalUsage", "usage", "usageMetadata", "usage_metadata", "token_usage", "tokenUsage", "token_count",
		"usage_info", "usage_details", "usageDetails"}
	// Ollama has counts without a block, and so do the logs of agents.
	flatKeys = []string{"prompt_eval_count", "eval_count", "input_token_count", "output_token_count", "cached_token_count",
		"cached_content_token_count", "reasoning_token_count", "thoughts_token_count", "tool_token_count", "total_token_count"}
	aroundKeys = []string{"response_metadata", "response_meta", "llm_output", "llmOutput", "generation_info", "generationInfo"}
)

// ownBlocks returns the blocks that are members, and not in what is around them.
func (f found) ownBlocks() []found {
	var all []found
	for _, key := range blockKeys {
		if f.Has(key) {
			all = append(all, f.member(key))
		}
	}
	if meta := f.member("meta"); meta.Has("tokens") || meta.Has("billed_units") || meta.Has("billedUnits") {
		all = append(all, meta)
	}
	var flat rawjson.Object
	for _, key := range flatKeys {
		flat = flat.WithRaw(key, f.Get(key))
	}
	if flat != nil {
		all = append(all, found{at: f.at, Object: flat})
	}
	return all
}
