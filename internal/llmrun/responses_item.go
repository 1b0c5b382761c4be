package llmrun

import (
	"encoding/json"
	"strings"
)

// Types of items that hold a call.
const (
	kindFunctionCall = "function_call"
	kindCustomCall   = "custom_tool_call"
	kindMCPCall      = "mcp_call"
	suffixCall       = "_call"

	// keyError is the member of an item that stands in place of its result, and the extra that marks such a result.
	keyError = "error"
)

// clientCalls are the tools of the provider that the client carries out: the member of the item that is the arguments.
var clientCalls = map[string]string{
	"computer_call": "action", "local_shell_call": "action", "shell_call": "action", "apply_patch_call": "operation",
}

// serverCall is a tool that the provider carries out: the members of the item that are the arguments and the result.
type serverCall struct {
	// whole is the member that is the arguments itself, keys are members that are one argument each.
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

// parseCallItem reads an item that a model has made: a call, and, when the item of a server's call has one, its result.
// The type of an item that is no function's call is the extra "type".
func parseCallItem(raw json.RawMessage, o object, kind string) []Block {
	switch {
	case kind == kindFunctionCall:
		b := Block{Type: BlockToolCall}
		taken := b.takeAs(o, "call_id", "id")
		b.Extras = dropTaken(b.takeFunction(o.encode()), taken)
		return []Block{b}
	case kind == kindCustomCall:
		b := Block{Type: BlockToolCall}
		b.Extras = o.rest(b.takeAs(o, "call_id", "id", "name", "name")...)
		return []Block{b.ofKind(kind)}
	case clientCalls[kind] != "":
		name := strings.TrimSuffix(kind, suffixCall)
		b := Block{Type: BlockToolCall, Name: &name}
		b.Extras = o.rest(b.takeAs(o, "call_id", "id", clientCalls[kind], "args")...)
		return []Block{b.ofKind(kind)}
	}
	if call, ok := serverCalls[kind]; ok {
		return call.parse(o, kind)
	}
	return []Block{verbatimItem(raw, o, kind)}
}

func dropTaken(rest Extras, taken []string) Extras {
	for _, key := range taken {
		rest = rest.without(key)
	}
	return rest
}

// parse reads the item of a server's call. A result that is null is none.
func (c serverCall) parse(o object, kind string) []Block {
	b := Block{Type: BlockServerToolCall}
	taken := b.takeAs(o, "id", "id")
	switch {
	case kind == kindMCPCall:
		b.Extras = dropTaken(b.takeFunction(o.encode()), taken)
	case c.whole != "":
		if b.take("args", o.get(c.whole)) {
			taken = append(taken, c.whole)
		}
		b.Extras = o.rest(taken...)
	default:
		var args object
		for _, key := range c.keys {
			if value := o.get(key); value != nil {
				args, taken = args.with(key, value), append(taken, key)
			}
		}
		b.Args = args.encode()
		b.Extras = o.rest(taken...)
	}
	if kind != kindMCPCall {
		name := strings.TrimSuffix(kind, suffixCall)
		b.Name = &name
	}
	key := c.resultKey(o)
	if key == "" {
		return []Block{b.ofKind(kind)}
	}
	b.Extras = b.Extras.without(key)
	b = b.ofKind(kind)
	status := "success"
	result := Block{Type: BlockServerToolResult, ToolCallID: b.ID, Status: &status, Output: o.get(key)}
	if key == keyError {
		result.Extras.put(keyError, json.RawMessage("true"))
	}
	if callFailed(&b, &result) {
		status = "error"
	}
	return []Block{b, result}
}

// resultKey is the member with the result, or with the error in its place; empty when there is neither.
func (c serverCall) resultKey(o object) string {
	switch {
	case c.result == "":
		return ""
	case !isNullOrAbsent(o.get(c.result)):
		return c.result
	case c.result == "output" && !isNullOrAbsent(o.get(keyError)):
		return keyError
	default:
		return ""
	}
}

func isNullOrAbsent(raw json.RawMessage) bool { return raw == nil || isNull(raw) }

// callFailed is what the item of a server's call says of its success.
func callFailed(call, result *Block) bool {
	status, _ := readString(call.Extras["status"])
	return status == "failed" || isError(result) || !isNullOrAbsent(call.Extras[keyError])
}

// isError says whether a result is the member "error" of its item.
func isError(result *Block) bool { return string(result.Extras[keyError]) == "true" }

// verbatimItem keeps an item that has no counterpart.
func verbatimItem(raw json.RawMessage, o object, kind string) Block {
	b := verbatimBlock(o, kind)
	if blockFields[kind] != nil {
		b = parseNativeBlock(raw)
		b.Layout.put(layoutPart, notePartNative)
	}
	b.Layout.put(layoutPlace, noteItem)
	return b
}

// buildItem writes the item of a block, with the result that follows it when that is part of the item.
func buildItem(b, result *Block) json.RawMessage {
	if b.Layout[layoutPart] != nil {
		return buildNativeBlock(b)
	}
	kind := b.kind(kindFunctionCall)
	extras := b.Extras.without(keyType)
	o := ofType(kind)
	switch {
	case kind == kindFunctionCall:
		o = o.withText("call_id", b.ID).withText("name", b.Name).withRaw("arguments", argumentsText(b))
	case kind == kindCustomCall:
		o = o.withText("call_id", b.ID).withText("name", b.Name)
	case clientCalls[kind] != "":
		o = o.withText("call_id", b.ID).withRaw(clientCalls[kind], b.Args)
	case kind == kindMCPCall:
		o = o.withText("id", b.ID).withText("name", b.Name).withRaw("arguments", argumentsText(b))
	case serverCalls[kind].whole != "":
		o = o.withText("id", b.ID).withRaw(serverCalls[kind].whole, b.Args)
	default:
		args, _ := readObject(b.Args)
		o = append(o.withText("id", b.ID), args...)
	}
	if result != nil {
		key := serverCalls[kind].result
		if isError(result) {
			key = keyError
		}
		o, extras = o.withRaw(key, result.Output), extras.without(key)
	}
	return o.withAll(extras).encode()
}

// argumentsText is the arguments as the text that a function is called with.
func argumentsText(b *Block) json.RawMessage {
	if b.Args == nil {
		return nil
	}
	return quote(string(b.Args))
}
