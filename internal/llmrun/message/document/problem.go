package document

import (
	"cmp"
	"fmt"
	"strings"
)

// Problem is a violation of a rule.
type Problem struct {
	Pointer string // the JSON pointer (RFC 6901) of the value in the validated document; "" is the document itself
	Rule    string // one of the Rule constants
	// Message describes the problem and the value, Remedy the solution.
	Message string
	Remedy  string
}

// MaxListed is the maximum number of listed problems, or losses. Nobody reads more of them.
const MaxListed = 100

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
	RuleFormatExpected   = "format_expected"
	RuleMoreProblems     = "more_problems" // about the problems that a long list omits

	RuleMessageObject   = "message_object"
	RuleRoleRequired    = "role_required"
	RuleRoleKnown       = "role_known"
	RuleContentRequired = "content_required"
	RuleContentBlocks   = "content_blocks"
	RuleContentUnknown  = "content_unknown" // about a text that could be the content of a message of which nothing was read

	RuleBlockType        = "block_type"
	RuleTextRequired     = "text_required"
	RuleAnnotationsArray = "annotations_array"
	RuleExtrasObject     = "extras_object"
	RuleMediaSource      = "media_source"
	RuleMimeType         = "mime_type"

	RuleToolCallName       = "tool_call_name"
	RuleToolCallArgs       = "tool_call_args"
	RuleToolCallID         = "tool_call_id"
	RuleToolCallIDUnique   = "tool_call_id_unique"
	RuleToolCallIDRole     = "tool_call_id_role"
	RuleToolCallIDRequired = "tool_call_id_required"
	RuleToolCallIDKnown    = "tool_call_id_known"

	RuleServerToolCallID       = "server_tool_call_id"
	RuleServerToolCallName     = "server_tool_call_name"
	RuleServerToolCallArgs     = "server_tool_call_args"
	RuleServerToolResultCall   = "server_tool_result_call"
	RuleServerToolResultID     = "server_tool_result_id"
	RuleServerToolResultStatus = "server_tool_result_status"

	RuleUsageMetadataObject = "usage_metadata_object"
	RuleUsageMetadataKey    = "usage_metadata_key"
	RuleUsageMetadataValue  = "usage_metadata_value"
)

// Loss is one value that a format can't contain.
type Loss struct {
	Pointer string // the JSON pointer of the value in the normal form of the document
	Reason  string // Reason says why it can't be written; empty if there is simply no place for it
}

// LossError is the error for a conversion that would lose content.
type LossError struct {
	From, To Format
	Losses   []Loss
	More     int // More counts the losses that a long list omits
}

// Error lists every loss.
func (e *LossError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "building %s from %s would lose ", e.To, e.From)
	for i, l := range e.Losses {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(cmp.Or(shortened(l.Pointer), "the document"))
		if l.Reason != "" {
			b.WriteString(" (" + l.Reason + ")")
		}
	}
	if e.More > 0 {
		fmt.Fprintf(&b, " and %d more", e.More)
	}
	return b.String()
}

// shortened shortens a pointer for a message: keys can have any length.
func shortened(pointer string) string {
	const most = 200
	if len(pointer) <= most {
		return pointer
	}
	return strings.ToValidUTF8(pointer[:most], "") + "…"
}
