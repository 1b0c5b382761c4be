package message

import (
	"encoding/json"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Types of items that contain a call.
const (
	kindFunctionCall = "function_call"
	kindCustomCall   = "custom_tool_call"
	kindMCPCall      = "mcp_call"
	suffixCall       = "_call"

	// keyError is the member of an item that replaces its result, and the extra that marks such a result.
	keyError = "error"
)

// clientCalls are the provider's tools that the client executes, with the item's member for the arguments.
var clientCalls = map[string]string{
	"computer_call": "action", "local_shell_call": "action", "shell_call": "action", "apply_patch_call": "operation",
}

// serverCall is a tool that the provider executes: the item's members for the arguments and the result.
type serverCall struct {
	// whole is a member that contains all arguments, keys are members for one argument each.
	whole  string
	keys   []string
	result string
}

var serverCalls = map[string]serverCall{
	"web_search_call":       {whole: "action"},
	"file_search_call":      {keys: []string{"queries"}, result: "results"},
	"code_interpreter_call": {keys: []string{"code"}, result: "outputs"},
	"image_generation_call": {result: "result"},
	kindMCPCall:             {result: "output"},
}

// parse reads the item of a server call, and its result unless that is null. The type of the item becomes the extra "type".
func (c serverCall) parse(o rawjson.Object, kind string) []Block {
	b := Block{Type: BlockServerToolCall}
	taken := append(b.takeMembers(o, "id", "id"), "type")
	switch {
	case kind == kindMCPCall:
		taken = append(taken, b.takeMembers(o, functionMembers...)...)
	case c.whole != "":
		taken = append(taken, b.takeMembers(o, c.whole, "args")...)
	default:
		var args rawjson.Object
		for _, key := range c.keys {
			if value := o.Get(key); value != nil {
				args, taken = args.With(key, value), append(taken, key)
			}
		}
		b.Args = args.Encode()
	}
	if kind != kindMCPCall {
		takeName(&b, o)
	}
	key := c.resultKey(o)
	if key != "" {
		taken = append(taken, key)
	}
	b.Extras = o.Rest(taken...)
	b.Extras.Put(keyType, rawjson.Quote(kind))
	if key == "" {
		return []Block{b}
	}
	status := "success"
	result := Block{Type: BlockServerToolResult, ToolCallID: b.ID, Status: &status, Output: o.Get(key)}
	if key == keyError {
		result.Extras.Put(keyError, json.RawMessage("true"))
	}
	if callFailed(&b, &result) {
		status = "error"
	}
	return []Block{b, result}
}

// resultKey returns the member with the result, or with the error instead; empty if there is neither.
func (c serverCall) resultKey(o rawjson.Object) string {
	switch {
	case c.result == "":
		return ""
	case !rawjson.IsNullOrAbsent(o.Get(c.result)):
		return c.result
	case c.result == "output" && !rawjson.IsNullOrAbsent(o.Get(keyError)):
		return keyError
	default:
		return ""
	}
}

// holds says whether the item of a server call has a place for the arguments.
func (c serverCall) holds(b *Block) bool {
	if c.whole != "" {
		return true
	}
	args, ok := rawjson.ReadObject(b.Args)
	return ok && !slices.ContainsFunc(args, func(m rawjson.Member) bool { return !slices.Contains(c.keys, m.Key) })
}

// callFailed says whether the item of a server call reports a failure.
func callFailed(call, result *Block) bool {
	status, _ := rawjson.ReadString(call.Extras["status"])
	return status == "failed" || isError(result) || !rawjson.IsNullOrAbsent(call.Extras[keyError])
}

// isError says whether a result is the member "error" of its item.
func isError(result *Block) bool { return string(result.Extras[keyError]) == "true" }
