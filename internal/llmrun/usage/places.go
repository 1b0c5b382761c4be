package usage

import (
	"encoding/json"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Reading is the usage of a run, and where it was found.
type Reading struct {
	Usage Usage
	// Source is the JSON pointer of the object that says it, the first one when several messages do; empty when none does.
	Source   string
	Problems []message.Problem
}

// found is an object that may be a usage, and its place.
type found struct {
	raw json.RawMessage
	at  string
}

// Places are where a run may state its usage.
type Places struct {
	Outputs json.RawMessage
	// Metadata is usage_metadata among the metadata of the run, and MetadataPointer its place in the run.
	Metadata        json.RawMessage
	MetadataPointer string
	// Call says that the run may be a call of a model, so that answers in its outputs are its own.
	Call bool
	// Provider is empty when the run names none.
	Provider string
}

// Find finds the tokens and the costs that a run states itself.
//
// Clients convert the usage of a provider to usage_metadata, leave a copy of it in the metadata and may keep the original
// besides, so the first place that says anything is the only one that counts. In order: outputs.usage_metadata,
// extra.metadata.usage_metadata, the usage_metadata of values, generations or messages within the outputs, and the block
// of a provider. All but the first two are read for llm runs, and where no type is given, only: other runs hand on
// the answers of their llm runs, which have been counted there.
func (p Places) Find() Reading {
	outputs, _ := rawjson.ReadObject(p.Outputs)
	var reading Reading
	metadata := []found{{p.Metadata, p.MetadataPointer}}
	if reading.take(atKey(outputs, "usage_metadata", rawjson.Pointer("outputs"))) || reading.take(metadata) || !p.Call {
		return reading
	}
	for _, places := range []func(rawjson.Object) []found{usageOfValues, usageOfGenerations, usageOfMessages} {
		if reading.take(places(outputs)) {
			return reading
		}
	}
	for _, block := range providerBlocks(outputs) {
		u, problems := providerUsage(outputs, p.Provider, block)
		if !u.IsZero() {
			return Reading{Usage: u, Source: block.at, Problems: append(reading.Problems, problems...)}
		}
	}
	return reading
}

// take reads the usages of one kind of place, and says whether there were any.
func (u *Reading) take(places []found) bool {
	var calls []Usage
	for _, place := range places {
		if !rawjson.IsObject(place.raw) {
			continue // Null stands for a provider that sent none.
		}
		usage, problems := Read(place.raw)
		for _, p := range problems {
			p.Pointer = place.at + p.Pointer
			u.Problems = append(u.Problems, p)
		}
		if usage.IsZero() {
			continue
		}
		if calls == nil {
			u.Source = place.at
		}
		calls = append(calls, usage)
	}
	if calls == nil {
		return false
	}
	u.Usage = sumUsage(calls)
	return true
}

func atKey(o rawjson.Object, key, at string) []found {
	if raw := o.Get(key); raw != nil {
		return []found{{raw, at + rawjson.Pointer(key)}}
	}
	return nil
}

// usageOfValues looks into every output that is an object: a message, or the constructor of one.
func usageOfValues(outputs rawjson.Object) []found {
	var all []found
	for _, m := range outputs {
		all = append(all, usageOfMessage(m.Value, rawjson.Pointer("outputs", m.Key))...)
	}
	return all
}

// usageOfMessage looks into a message: its own member or, in a constructor, that of its arguments.
func usageOfMessage(raw json.RawMessage, at string) []found {
	o, ok := rawjson.ReadObject(raw)
	if !ok {
		return nil
	}
	if own := atKey(o, "usage_metadata", at); own != nil {
		return own
	}
	if string(o.Get("lc")) != "1" {
		return nil
	}
	arguments, _ := rawjson.ReadObject(o.Get("kwargs"))
	return atKey(arguments, "usage_metadata", at+rawjson.Pointer("kwargs"))
}

// usageOfGenerations looks into the messages of generations, a list for each prompt.
func usageOfGenerations(outputs rawjson.Object) []found {
	var all []found
	lists, _ := rawjson.ReadArray(outputs.Get("generations"))
	for i, raw := range lists {
		list, _ := rawjson.ReadArray(raw)
		for j, raw := range list {
			generation, _ := rawjson.ReadObject(raw)
			message, _ := rawjson.ReadObject(generation.Get("message"))
			arguments, _ := rawjson.ReadObject(message.Get("kwargs"))
			all = append(all, atKey(arguments, "usage_metadata", rawjson.Pointer("outputs", "generations", i, j, "message", "kwargs"))...)
		}
	}
	return all
}

// usageOfMessages looks into the messages of the outputs that an assistant has written, and those of choices. Other
// roles say nothing that a model was asked for.
func usageOfMessages(outputs rawjson.Object) []found {
	var all []found
	messages, _ := rawjson.ReadArray(outputs.Get("messages"))
	for i, raw := range messages {
		m, _ := rawjson.ReadObject(raw)
		if role, ok := m.Text("role"); ok && role != message.RoleAssistant {
			continue
		}
		all = append(all, usageOfMessage(raw, rawjson.Pointer("outputs", "messages", i))...)
	}
	choices, _ := rawjson.ReadArray(outputs.Get("choices"))
	for i, raw := range choices {
		choice, _ := rawjson.ReadObject(raw)
		all = append(all, usageOfMessage(choice.Get("message"), rawjson.Pointer("outputs", "choices", i, "message"))...)
	}
	return all
}

// blockKeys are the members in which answers carry a provider's own block, and those of the framework's llm_output.
var (
	blockKeys  = []string{"usage", "usageMetadata"}
	legacyKeys = []string{"token_usage", "tokenUsage", "usage"}
)

// providerBlocks lists what may be the block of a provider.
func providerBlocks(outputs rawjson.Object) []found {
	var all []found
	for _, key := range blockKeys {
		all = append(all, atKey(outputs, key, rawjson.Pointer("outputs"))...)
	}
	for _, key := range []string{"llm_output", "llmOutput"} {
		legacy, _ := rawjson.ReadObject(outputs.Get(key))
		for _, inner := range legacyKeys {
			all = append(all, atKey(legacy, inner, rawjson.Pointer("outputs", key))...)
		}
	}
	return slices.DeleteFunc(all, func(f found) bool { return !rawjson.IsObject(f.raw) })
}
