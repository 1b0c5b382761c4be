package llmrun

// The rules for runs. The service refuses runs that break one of them, except where noted.
const (
	ruleRunObject  = "run_object"
	ruleRunID      = "run_id"
	ruleRunText    = "run_text"
	ruleRunType    = "run_type"
	ruleRunTime    = "run_time"
	ruleRunValues  = "run_values"
	ruleRunEvents  = "run_events"
	ruleRunTags    = "run_tags"
	ruleTracePlace = "trace_place"

	ruleDottedOrderFormat      = "dotted_order_format"
	ruleDottedOrderParts       = "dotted_order_parts"
	ruleDottedOrderTraceID     = "dotted_order_trace_id"
	ruleDottedOrderID          = "dotted_order_id"
	ruleDottedOrderParentRunID = "dotted_order_parent_run_id"
	ruleDottedOrderTime        = "dotted_order_time"

	// ruleNewTokenTime is about an event that is stored nevertheless, but has no time.
	ruleNewTokenTime = "new_token_time"
)
