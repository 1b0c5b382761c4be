package llmrun

import (
	"errors"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// The rules of runs. The service refuses what breaks one of them, except where it says otherwise.
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

	// RuleNewTokenTime is about an event that is stored all the same: it only says nothing about the time.
	RuleNewTokenTime = "new_token_time"
)

// dottedOrderProblem is the error of a dotted order as a problem of its run.
func dottedOrderProblem(err error) message.Problem {
	p := message.Problem{Pointer: rawjson.Pointer("dotted_order"), Rule: RuleDottedOrderFormat, Message: err.Error()}
	if e, ok := errors.AsType[*DottedOrderError](err); ok {
		p.Rule, p.Remedy = e.Rule, e.Remedy
	}
	return p
}
