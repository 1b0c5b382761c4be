package llmrun

import (
	"encoding/json"
	"slices"
)

// UsageReading is the usage of a run, and where it was found.
type UsageReading struct {
	Usage Usage
	// Source is the JSON pointer of the object that says it, the first one when several messages do; empty when none does.
	Source   string
	Problems []Problem
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
func (p Places) Find() UsageReading {
	outputs, _ := readObject(p.Outputs)
	var reading UsageReading
	metadata := []found{{p.Metadata, p.MetadataPointer}}
	if reading.take(atKey(outputs, "usage_metadata", pointer("outputs"))) || reading.take(metadata) || !p.Call {
		return reading
	}
	for _, places := range []func(object) []found{usageOfValues, usageOfGenerations, usageOfMessages} {
		if reading.take(places(outputs)) {
			return reading
		}
	}
	for _, block := range providerBlocks(outputs) {
		u, problems := providerUsage(outputs, p.Provider, block)
		if !u.IsZero() {
			return UsageReading{Usage: u, Source: block.at, Problems: append(reading.Problems, problems...)}
		}
	}
	return reading
}

// take reads the usages of one kind of place, and says whether there were any.
func (u *UsageReading) take(places []found) bool {
	var calls []Usage
	for _, place := range places {
		if !isObject(place.raw) {
			continue // Null stands for a provider that sent none.
		}
		usage, problems := ReadUsage(place.raw)
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

func atKey(o object, key, at string) []found {
	if raw := o.get(key); raw != nil {
		return []found{{raw, at + pointer(key)}}
	}
	return nil
}

// usageOfValues looks into every output that is an object: a message, or the constructor of one.
func usageOfValues(outputs object) []found {
	var all []found
	for _, m := range outputs {
		all = append(all, usageOfMessage(m.value, pointer("outputs", m.key))...)
	}
	return all
}

// usageOfMessage looks into a message: its own member or, in a constructor, that of its arguments.
func usageOfMessage(raw json.RawMessage, at string) []found {
	o, ok := readObject(raw)
	if !ok {
		return nil
	}
	if own := atKey(o, "usage_metadata", at); own != nil {
		return own
	}
	if string(o.get("lc")) != "1" {
		return nil
	}
	arguments, _ := readObject(o.get("kwargs"))
	return atKey(arguments, "usage_metadata", at+pointer("kwargs"))
}

// usageOfGenerations looks into the messages of generations, a list for each prompt.
func usageOfGenerations(outputs object) []found {
	var all []found
	lists, _ := readArray(outputs.get("generations"))
	for i, raw := range lists {
		list, _ := readArray(raw)
		for j, raw := range list {
			generation, _ := readObject(raw)
			message, _ := readObject(generation.get("message"))
			arguments, _ := readObject(message.get("kwargs"))
			all = append(all, atKey(arguments, "usage_metadata", pointer("outputs", "generations", i, j, "message", "kwargs"))...)
		}
	}
	return all
}

// usageOfMessages looks into the messages of the outputs that an assistant has written, and those of choices. Other
// roles say nothing that a model was asked for.
func usageOfMessages(outputs object) []found {
	var all []found
	messages, _ := readArray(outputs.get("messages"))
	for i, raw := range messages {
		message, _ := readObject(raw)
		if role, ok := message.text("role"); ok && role != RoleAssistant {
			continue
		}
		all = append(all, usageOfMessage(raw, pointer("outputs", "messages", i))...)
	}
	choices, _ := readArray(outputs.get("choices"))
	for i, raw := range choices {
		choice, _ := readObject(raw)
		all = append(all, usageOfMessage(choice.get("message"), pointer("outputs", "choices", i, "message"))...)
	}
	return all
}

// blockKeys are the members in which answers carry a provider's own block, and those of the framework's llm_output.
var (
	blockKeys  = []string{"usage", "usageMetadata"}
	legacyKeys = []string{"token_usage", "tokenUsage", "usage"}
)

// providerBlocks lists what may be the block of a provider.
func providerBlocks(outputs object) []found {
	var all []found
	for _, key := range blockKeys {
		all = append(all, atKey(outputs, key, pointer("outputs"))...)
	}
	for _, key := range []string{"llm_output", "llmOutput"} {
		legacy, _ := readObject(outputs.get(key))
		for _, inner := range legacyKeys {
			all = append(all, atKey(legacy, inner, pointer("outputs", key))...)
		}
	}
	return slices.DeleteFunc(all, func(f found) bool { return !isObject(f.raw) })
}
