package usage

import (
	"bytes"
	"encoding/json"

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

// found is an object that may be a usage, and its location.
type found struct {
	raw json.RawMessage
	at  string
}

// Kind says whose usage the outputs of a run may contain.
type Kind int

const (
	// Call is a model call, or a run without a type that may be one: the answers in its outputs are its own.
	Call Kind = iota
	// Work is done by a run that isn't a model call, such as a tool: it may have a cost.
	Work
	// Flow calls other runs and passes on what they return, including their usage.
	Flow
)

// Places are the locations in which a run may report its usage.
type Places struct {
	Kind    Kind
	Outputs json.RawMessage
	// Metadata is usage_metadata in the metadata of the run, and MetadataPointer its location in the run.
	Metadata        json.RawMessage
	MetadataPointer string
}

// Find finds the tokens and costs that a run itself reports.
//
// Clients convert a provider's usage to usage_metadata, copy it to the metadata and may also keep the original, so only the
// first location that contains anything counts. In order: outputs.usage_metadata, extra.metadata.usage_metadata, the
// usage_metadata of answers within the outputs, and the blocks of providers. If none but a block has the cost, it is added.
//
// Runs other than calls have no tokens: they pass on the answers of calls, where the tokens were counted. They may report
// costs in the first two locations.
func (p Places) Find() Reading {
	outputs, _ := rawjson.ReadObject(p.Outputs)
	var reading Reading
	stated := reading.take(usageMetadata(found{p.Outputs, rawjson.Pointer("outputs")})) ||
		reading.take([]found{{p.Metadata, p.MetadataPointer}})
	if p.Kind != Call {
		return reading.ofOther(p.Kind)
	}
	if stated && !reading.lacksCost(p.Outputs) {
		return reading
	}
	places := answersIn(outputs)
	for i := 0; i < len(places) && !stated; i++ {
		stated = reading.takeAnswers(places[i], usageMetadata)
	}
	if stated && !reading.lacksCost(p.Outputs) {
		return reading
	}
	whole := place{answers: []found{{p.Outputs, rawjson.Pointer("outputs")}}}
	of := func(u Usage) Usage { return u }
	if stated {
		of = Usage.costs
	}
	blocks := Reading{Problems: reading.Problems}
	for _, place := range append([]place{whole}, places...) {
		if blocks.takeBlocks(place, of) {
			break
		}
	}
	if !stated {
		return blocks
	}
	u, own := &reading.Usage, blocks.Usage
	u.InputCost, u.OutputCost, u.TotalCost = own.InputCost, own.OutputCost, own.TotalCost
	return reading
}

// lacksCost says whether the outputs may have a cost that the usage doesn't have.
func (u Reading) lacksCost(outputs json.RawMessage) bool {
	return u.Usage.costs().IsZero() && (bytes.Contains(outputs, []byte("cost")) || bytes.Contains(outputs, []byte("Cost")))
}

// ofOther returns the usage of a run that isn't a call. If a flow reports tokens beside its costs, it passes them on.
func (u Reading) ofOther(kind Kind) Reading {
	own := u.Usage.costs()
	if kind == Flow && u.Usage.hasTokens() {
		own = Usage{}
	}
	if own.IsZero() {
		return Reading{Problems: u.Problems}
	}
	u.Usage = own
	return u
}

func (u Usage) hasTokens() bool {
	return u.InputTokens != nil || u.OutputTokens != nil || u.TotalTokens != nil
}

// costs returns the usage without its tokens.
func (u Usage) costs() Usage {
	return Usage{
		InputCost: u.InputCost, OutputCost: u.OutputCost, TotalCost: u.TotalCost,
		InputCostDetails: u.InputCostDetails, OutputCostDetails: u.OutputCostDetails,
	}
}

// take reads usage_metadata of one kind of location, and says whether there was any.
func (u *Reading) take(places []found) bool {
	return u.takeAnswers(place{answers: places, all: true}, func(f found) []found { return []found{f} })
}

// takeAnswers adds the usage_metadata of the answers in a location.
func (u *Reading) takeAnswers(p place, metadata func(found) []found) bool {
	var calls []Usage
	for _, answer := range p.answers {
		for _, f := range metadata(answer) {
			if !rawjson.IsObject(f.raw) || isProviderBlock(f.raw) {
				continue // Null means that the provider sent none.
			}
			usage, problems := Read(f.raw)
			for _, problem := range problems {
				problem.Pointer = f.at + problem.Pointer
				u.Problems = append(u.Problems, problem)
			}
			if usage.IsZero() {
				continue
			}
			if calls == nil {
				u.Source = f.at
			}
			calls = append(calls, usage)
		}
		if calls != nil && !p.all {
			break
		}
	}
	if calls == nil {
		return false
	}
	u.Usage = sumUsage(calls)
	return true
}

// takeBlocks adds a part of the providers' blocks in the answers of a location, from one block of each answer.
func (u *Reading) takeBlocks(p place, of func(Usage) Usage) bool {
	var calls []Usage
	for _, f := range p.answers {
		a := newAnswer(f)
		for _, block := range a.blocks() {
			usage, problems := a.providerUsage(block)
			if usage = of(usage); usage.IsZero() {
				continue
			}
			if calls == nil {
				u.Source = block.at
			}
			calls = append(calls, usage)
			u.Problems = append(u.Problems, problems...)
			break
		}
		if calls != nil && !p.all {
			break
		}
	}
	if calls == nil {
		return false
	}
	u.Usage = sumUsage(calls)
	return true
}
