package part

import (
	"encoding/json"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Types of items that contain a call.
const (
	KindFunctionCall = "function_call"
	KindCustomCall   = "custom_tool_call"

	KeyError = "error" // the member of an item that replaces its result, and the extra that marks such a result
)

// ClientCalls are the provider's tools that the client executes, with the item's member for the arguments.
var ClientCalls = map[string]string{
	"computer_call": "action", "local_shell_call": "action", "shell_call": "action", "apply_patch_call": "operation",
}

// serverCall is a tool that the provider executes: the item's members for its ID, the arguments and the result.
type serverCall struct {
	ID    string // the member to which a result refers
	Named bool   // the call has a name, and arguments that are the text of an object
	// whole is a member that contains all arguments, keys are members for one argument each.
	whole   string
	keys    []string
	Result  string
	Foreign bool // the item is one of an SDK, not of the responses format
}

// ServerCalls are the items of the provider's tools, by type.
var ServerCalls = map[string]serverCall{
	"web_search_call":       {ID: "id", whole: "action"},
	"file_search_call":      {ID: "id", keys: []string{"queries"}, Result: "results"},
	"code_interpreter_call": {ID: "id", keys: []string{"code"}, Result: "outputs"},
	"image_generation_call": {ID: "id", Result: "result"},
	"mcp_call":              {ID: "id", Named: true, Result: "output"},
	"hosted_tool_call":      {ID: "id", Named: true, Result: "output", Foreign: true},
	"mcp_approval_request":  {ID: "id", Named: true},
	"tool_search_call":      {ID: "call_id", whole: "arguments"},
	"program":               {ID: "call_id", keys: []string{"code"}},
}

// ServerResults are the items with the results of server calls that are items of their own, with the member for the result.
var ServerResults = map[string]string{"tool_search_output": "tools", "program_output": "result"}

// parse reads the item of a server call, and its result unless that is null. The type of the item becomes the extra "type".
func (c serverCall) parse(blocks []document.Block, o rawjson.Object, kind string) []document.Block {
	blocks = extend(blocks)
	b := &blocks[len(blocks)-1]
	b.Type = document.BlockServerToolCall
	taken := append(b.TakeMembers(o, c.ID, "id", "id", "id"), "type")
	switch {
	case c.Named:
		taken = append(taken, b.TakeMembers(o, FunctionMembers...)...)
	case c.whole != "":
		taken = append(taken, b.TakeMembers(o, c.whole, "args")...)
	default:
		var args rawjson.Object
		for _, key := range c.keys {
			if value := o.Get(key); value != nil {
				args, taken = args.With(key, value), append(taken, key)
			}
		}
		b.Args = args.Encode()
	}
	if !c.Named {
		takeName(b, o)
	}
	key := c.resultKey(o)
	if key != "" {
		taken = append(taken, key)
	}
	b.Extras = o.Rest(taken...)
	b.Extras.Put(document.KeyType, rawjson.Quote(kind))
	if key == "" {
		return blocks
	}
	status := "success"
	result := document.Block{Type: document.BlockServerToolResult, ToolCallID: b.ID, Status: &status, Output: o.Get(key)}
	if key == KeyError {
		result.Extras.Put(KeyError, json.RawMessage("true"))
	}
	if CallFailed(b, &result) {
		status = "error"
	}
	return append(blocks, result)
}

// resultKey returns the member with the result, or with the error instead; empty if there is neither.
func (c serverCall) resultKey(o rawjson.Object) string {
	switch {
	case c.Result == "":
		return ""
	case !rawjson.IsNullOrAbsent(o.Get(c.Result)):
		return c.Result
	case c.Result == "output" && !rawjson.IsNullOrAbsent(o.Get(KeyError)):
		return KeyError
	default:
		return ""
	}
}

// Arguments returns the arguments of a call as members of its item.
func (c serverCall) Arguments(b *document.Block) rawjson.Object {
	if c.whole != "" {
		return rawjson.Object(nil).WithRaw(c.whole, b.Args)
	}
	args, _ := rawjson.ReadObject(b.Args)
	return args
}

// CallFailed says whether the item of a server call reports a failure.
func CallFailed(call, result *document.Block) bool {
	status, _ := rawjson.ReadString(call.Extras["status"])
	return status == "failed" || IsError(result) || !rawjson.IsNullOrAbsent(call.Extras[KeyError])
}

// IsError says whether a result is the member "error" of its item.
func IsError(result *document.Block) bool { return string(result.Extras[KeyError]) == "true" }
