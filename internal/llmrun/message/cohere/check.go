package cohere

import (
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/check"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Check validates the history of a request. Its messages are strings, and results and calls beside them.
func Check(v *check.Checker, src document.Source) {
	key, history := src.Object.Find("chat_history")
	if v.Side == document.Outputs || rawjson.IsNullOrAbsent(history) {
		return
	}
	v.Blocks(history, v.Base+rawjson.Pointer(key), func(turn rawjson.Object, at string) {
		v.Misplaced(turn, "message", "content", at)
		role, _ := turn.Text("role")
		_, calls := turn.Find("tool_calls")
		_, results := turn.Find("tool_results")
		v.Text(turn, "message", at, document.RuleContentBlocks, rawjson.IsVoidOrAbsent(calls) && rawjson.IsVoidOrAbsent(results) && roleNames[strings.ToLower(role)] != document.RoleTool)
	})
}
