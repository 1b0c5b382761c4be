package llmrun

import (
	"errors"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// The rules for runs. The service refuses runs that break one of them, except where noted.
const (
	RuleRunObject  = "run_object"
	RuleRunID      = "run_id"
	RuleRunText    = "run_text"
	RuleRunType    = "run_type"
	RuleRunTime    = "run_time"
	RuleRunValues  = "run_values"
	RuleRunEvents  = "run_events"
	RuleRunTags    = "run_tags"
	RuleTracePlace = "trace_place"

	RuleDottedOrderFormat      = "dotted_order_format"
	RuleDottedOrderParts       = "dotted_order_parts"
	RuleDottedOrderTraceID     = "dotted_order_trace_id"
	RuleDottedOrderID          = "dotted_order_id"
	RuleDottedOrderParentRunID = "dotted_order_parent_run_id"
	RuleDottedOrderTime        = "dotted_order_time"

	// RuleNewTokenTime is about an event that is stored nevertheless, but has no time.
	RuleNewTokenTime = "new_token_time"
)

// dottedOrderProblem converts the error of a dotted order to a problem of its run.
func dottedOrderProblem(err error) message.Problem {
	p := message.Problem{Pointer: rawjson.Pointer("dotted_order"), Rule: RuleDottedOrderFormat, Message: err.Error()}
	if e, ok := errors.AsType[*DottedOrderError](err); ok {
		p.Rule, p.Remedy = e.Rule, e.Remedy
	}
	return p
}
