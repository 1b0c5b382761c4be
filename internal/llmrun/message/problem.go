package message

// Problem is a violation of a rule.
type Problem struct {
	// Pointer is the JSON pointer (RFC 6901) of the value in the validated document; "" is the document itself.
	Pointer string
	// Rule is one of the Rule constants.
	Rule string
	// Message describes the problem and the value, Remedy the solution.
	Message string
	Remedy  string
}

// maxListed is the maximum number of listed problems, or losses. Nobody reads more of them.
const maxListed = 100

// String returns the problem in one line.
func (p Problem) String() string {
	where := p.Pointer
	if where == "" {
		where = "(document)"
	}
	return where + ": " + p.Message + " (" + p.Rule + "); " + p.Remedy
}

// The rules. Their names are stable: a module may filter problems by them.
const (
	RuleFormatRecognized = "format_recognized"
	// ruleMoreProblems is about the problems that a long list omits.
	ruleMoreProblems = "more_problems"

	ruleMessageObject   = "message_object"
	ruleRoleRequired    = "role_required"
	ruleRoleKnown       = "role_known"
	ruleContentRequired = "content_required"
	ruleContentBlocks   = "content_blocks"

	ruleBlockType        = "block_type"
	ruleTextRequired     = "text_required"
	ruleAnnotationsArray = "annotations_array"
	ruleExtrasObject     = "extras_object"
	ruleMediaSource      = "media_source"
	ruleMimeType         = "mime_type"

	ruleToolCallName       = "tool_call_name"
	ruleToolCallArgs       = "tool_call_args"
	ruleToolCallID         = "tool_call_id"
	ruleToolCallIDUnique   = "tool_call_id_unique"
	ruleToolCallIDRole     = "tool_call_id_role"
	ruleToolCallIDRequired = "tool_call_id_required"
	ruleToolCallIDKnown    = "tool_call_id_known"

	ruleServerToolCallID       = "server_tool_call_id"
	ruleServerToolCallName     = "server_tool_call_name"
	ruleServerToolCallArgs     = "server_tool_call_args"
	ruleServerToolResultCall   = "server_tool_result_call"
	ruleServerToolResultID     = "server_tool_result_id"
	ruleServerToolResultStatus = "server_tool_result_status"

	ruleUsageMetadataObject = "usage_metadata_object"
	ruleUsageMetadataKey    = "usage_metadata_key"
	ruleUsageMetadataValue  = "usage_metadata_value"
)
