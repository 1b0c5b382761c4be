package message

import (
	"encoding/json"
	"strings"

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

// parseCallItem reads an item that a model has created: a call and, if a server call's item has one, its result. Types
// other than that of function calls become the extra "type".
func parseCallItem(raw json.RawMessage, o rawjson.Object, kind string) []Block {
	switch {
	case kind == kindFunctionCall:
		b := Block{Type: BlockToolCall}
		taken := b.takeAs(o, "call_id", "id")
		b.Extras = dropTaken(b.takeFunction(o.Encode()), taken)
		return []Block{b}
	case kind == kindCustomCall:
		b := Block{Type: BlockToolCall}
		b.Extras = o.Rest(b.takeAs(o, "call_id", "id", "name", "name")...)
		return []Block{b.ofKind(kind)}
	case clientCalls[kind] != "":
		name := strings.TrimSuffix(kind, suffixCall)
		b := Block{Type: BlockToolCall, Name: &name}
		b.Extras = o.Rest(b.takeAs(o, "call_id", "id", clientCalls[kind], "args")...)
		return []Block{b.ofKind(kind)}
	}
	if call, ok := serverCalls[kind]; ok {
		return call.parse(o, kind)
	}
	return []Block{verbatimItem(raw, o, kind)}
}

func dropTaken(rest Extras, taken []string) Extras {
	for _, key := range taken {
		rest = rest.Without(key)
	}
	return rest
}

// parse reads the item of a server call. A null result is none.
func (c serverCall) parse(o rawjson.Object, kind string) []Block {
	b := Block{Type: BlockServerToolCall}
	taken := b.takeAs(o, "id", "id")
	switch {
	case kind == kindMCPCall:
		b.Extras = dropTaken(b.takeFunction(o.Encode()), taken)
	case c.whole != "":
		if b.take("args", o.Get(c.whole)) {
			taken = append(taken, c.whole)
		}
		b.Extras = o.Rest(taken...)
	default:
		var args rawjson.Object
		for _, key := range c.keys {
			if value := o.Get(key); value != nil {
				args, taken = args.With(key, value), append(taken, key)
			}
		}
		b.Args = args.Encode()
		b.Extras = o.Rest(taken...)
	}
	if kind != kindMCPCall {
		name := strings.TrimSuffix(kind, suffixCall)
		b.Name = &name
	}
	key := c.resultKey(o)
	if key == "" {
		return []Block{b.ofKind(kind)}
	}
	b.Extras = b.Extras.Without(key)
	b = b.ofKind(kind)
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
	case !isNullOrAbsent(o.Get(c.result)):
		return c.result
	case c.result == "output" && !isNullOrAbsent(o.Get(keyError)):
		return keyError
	default:
		return ""
	}
}

func isNullOrAbsent(raw json.RawMessage) bool { return raw == nil || rawjson.IsNull(raw) }

// callFailed says whether the item of a server call reports a failure.
func callFailed(call, result *Block) bool {
	status, _ := rawjson.ReadString(call.Extras["status"])
	return status == "failed" || isError(result) || !isNullOrAbsent(call.Extras[keyError])
}

// isError says whether a result is the member "error" of its item.
func isError(result *Block) bool { return string(result.Extras[keyError]) == "true" }

// verbatimItem keeps an item without a counterpart.
func verbatimItem(raw json.RawMessage, o rawjson.Object, kind string) Block {
	b := verbatimBlock(o, kind)
	if blockFields[kind] != nil {
		b = parseNativeBlock(raw)
		b.Layout.put(layoutPart, notePartNative)
	}
	b.Layout.put(layoutPlace, noteItem)
	return b
}

// buildItem writes the item of a block, with the result that follows it if that belongs to the item.
func buildItem(b, result *Block) json.RawMessage {
	if b.Layout[layoutPart] != nil {
		return buildNativeBlock(b)
	}
	kind := b.kind(kindFunctionCall)
	extras := b.Extras.Without(keyType)
	o := ofType(kind)
	switch {
	case kind == kindFunctionCall:
		o = o.WithText("call_id", b.ID).WithText("name", b.Name).WithRaw("arguments", argumentsText(b))
	case kind == kindCustomCall:
		o = o.WithText("call_id", b.ID).WithText("name", b.Name)
	case clientCalls[kind] != "":
		o = o.WithText("call_id", b.ID).WithRaw(clientCalls[kind], b.Args)
	case kind == kindMCPCall:
		o = o.WithText("id", b.ID).WithText("name", b.Name).WithRaw("arguments", argumentsText(b))
	case serverCalls[kind].whole != "":
		o = o.WithText("id", b.ID).WithRaw(serverCalls[kind].whole, b.Args)
	default:
		args, _ := rawjson.ReadObject(b.Args)
		o = append(o.WithText("id", b.ID), args...)
	}
	if result != nil {
		key := serverCalls[kind].result
		if isError(result) {
			key = keyError
		}
		o, extras = o.WithRaw(key, result.Output), extras.Without(key)
	}
	return o.WithAll(extras).Encode()
}
