package part

import (
	"encoding/json"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// KindFunctionCall is the type of the item for a call of the client's function.
const KindFunctionCall = "function_call"

// KeyError is the member of an item that replaces its result, and the extra that marks such a result.
const KeyError = "error"

// arguments reads members of which each is an argument.
func arguments(keys []string) func(*document.Block, rawjson.Object) []string {
	return func(b *document.Block, o rawjson.Object) (taken []string) {
		var args rawjson.Object
		for _, key := range keys {
			if value := o.Get(key); value != nil {
				args, taken = args.With(key, value), append(taken, key)
			}
		}
		b.Args = args.Encode()
		return taken
	}
}

// appendResult moves the result in the item of a call into a block after it.
func (f *form) appendResult(blocks []document.Block) []document.Block {
	call, key := &blocks[len(blocks)-1], f.result
	if key == "output" && rawjson.IsNullOrAbsent(call.Extras[key]) {
		key = KeyError
	}
	if key == "" || rawjson.IsNullOrAbsent(call.Extras[key]) {
		return blocks
	}
	state, _ := rawjson.ReadString(call.Extras["status"])
	status := "success"
	if state == "failed" || !rawjson.IsNullOrAbsent(call.Extras[KeyError]) {
		status = "error"
	}
	result := document.Block{Type: document.BlockServerToolResult, ToolCallID: call.ID, Status: &status, Output: call.Extras[key]}
	if key == KeyError {
		result.Extras.Put(KeyError, json.RawMessage("true"))
	}
	delete(call.Extras, key)
	return append(blocks, result)
}

// Item is how an item has what is in a block.
type Item struct {
	Members []string // pairs of a member and a field, each field once
	// Spread says that each argument is a member; Result is the member with the result, empty if there is none.
	Spread bool
	Result string
}

// ItemOf returns how the item of a type is written: in the last form in which it is read.
func ItemOf(kind string) Item {
	known := forms[kind]
	if known == nil {
		return Item{}
	}
	f := known[len(known)-1]
	item := Item{Spread: f.spread != nil, Result: f.result}
	for pair := range slices.Chunk(f.members, 2) {
		if !slices.Contains(item.Members, pair[1]) {
			item.Members = append(item.Members, pair...)
		}
	}
	return item
}
