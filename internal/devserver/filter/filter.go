package filter

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Expr is a condition on a run.
type Expr interface{ expr() }

// And holds when all of its terms do. Comparisons of metadata_key and metadata_value, and lists of them, that are directly
// in it are about the same entry, as are those of feedback, of inputs and of outputs. One that says that a key is not this one
// holds when there is no entry with this key, and one that says so of a value alone when no entry has this value.
type And struct{ Terms []Expr }

// Or holds when one of its terms does.
type Or struct{ Terms []Expr }

// Not holds when its term doesn't.
type Not struct{ Term Expr }

// Compare compares a field with a value. A comparison with nothing holds when the field has no value (eq) or one (neq).
type Compare struct {
	Op    Op
	Field Field
	Value Value
}

// In holds when a field has one of some values.
type In struct {
	Field  Field
	Values []Value
}

// Has holds when a list contains a value.
type Has struct {
	Field Field
	Value Value
}

// Search holds when a run contains the text, in whatever case.
type Search struct{ Text string }

// Like holds when a text matches a pattern, in whatever case. A percent sign stands for any text, unless Contains says that
// the pattern is a text to be contained.
type Like struct {
	Field    Field
	Pattern  string
	Contains bool
}

func (And) expr()     {}
func (Or) expr()      {}
func (Not) expr()     {}
func (Compare) expr() {}
func (In) expr()      {}
func (Has) expr()     {}
func (Search) expr()  {}
func (Like) expr()    {}

// Op is how two values are compared.
type Op string

// The comparisons.
const (
	Equal          Op = "eq"
	NotEqual       Op = "neq"
	Greater        Op = "gt"
	GreaterOrEqual Op = "gte"
	Less           Op = "lt"
	LessOrEqual    Op = "lte"
)

var comparisons = []Op{Equal, NotEqual, Greater, GreaterOrEqual, Less, LessOrEqual}

// Field is a property of a run that can be asked for.
type Field string

// The fields of a run.
const (
	ID             Field = "id"
	Name           Field = "name"
	RunType        Field = "run_type"
	Status         Field = "status"
	StartTime      Field = "start_time"
	EndTime        Field = "end_time"
	Latency        Field = "latency" // Seconds.
	FirstTokenTime Field = "first_token_time"
	TotalTokens    Field = "total_tokens"
	PromptTokens   Field = "prompt_tokens"
	OutputTokens   Field = "completion_tokens"
	TotalCost      Field = "total_cost" // US dollars, as are the other two.
	PromptCost     Field = "prompt_cost"
	OutputCost     Field = "completion_cost"
	Error          Field = "error"
	Tags           Field = "tags"
	ExecutionOrder Field = "execution_order"
	IsRoot         Field = "is_root"
	TraceID        Field = "trace_id"
	ParentRunID    Field = "parent_run_id"
	ThreadID       Field = "thread_id"
	UserID         Field = "ls_user_id"
	Inputs         Field = "inputs"
	Outputs        Field = "outputs"
	Metadata       Field = "metadata"
	MetadataKey    Field = "metadata_key"
	MetadataValue  Field = "metadata_value"
	InputKey       Field = "input_key"
	InputValue     Field = "input_value"
	OutputKey      Field = "output_key"
	OutputValue    Field = "output_value"

	FeedbackKey     Field = "feedback_key"
	FeedbackScore   Field = "feedback_score"
	FeedbackValue   Field = "feedback_value"
	FeedbackComment Field = "feedback_comment"
	FeedbackSource  Field = "feedback_source"
)

// Kind is what values a field has.
type Kind string

// The kinds of values.
const (
	Text   Kind = "a text"
	Number Kind = "a number"
	Bool   Kind = "true or false"
	Time   Kind = "a time such as \"2026-01-02T03:04:05Z\""
	List   Kind = "a list of texts"
	// Seconds may have a unit.
	Seconds Kind = "a number of seconds, or a duration such as \"5s\""
	// Score is a number, or whether something is right.
	Score Kind = "a number, true or false"
	// Object and Content are asked for in ways of their own.
	Object  Kind = "an object"
	Content Kind = "an object that is matched as text"
	// Any is a text, a number or a truth: what people write into metadata.
	Any Kind = "a text, a number, true or false"
)

var kinds = map[Field]Kind{
	ID: Text, Name: Text, RunType: Text, Status: Text, StartTime: Time, EndTime: Time, Latency: Seconds, FirstTokenTime: Time,
	TotalTokens: Number, PromptTokens: Number, OutputTokens: Number, TotalCost: Number, PromptCost: Number, OutputCost: Number, Error: Text, Tags: List,
	ExecutionOrder: Number, IsRoot: Bool, TraceID: Text, ParentRunID: Text, ThreadID: Text, MetadataKey: Text,
	MetadataValue: Any, FeedbackKey: Text, FeedbackScore: Score, FeedbackValue: Any, FeedbackComment: Text, FeedbackSource: Text,
	UserID: Text, Inputs: Content, Outputs: Content, Metadata: Object, InputKey: Text, InputValue: Any, OutputKey: Text, OutputValue: Any,
}

// details are the fields that have a number for each kind of token, which is asked for as prompt_token_details.cache_read.
var details = []Field{"prompt_token_details", "completion_token_details", "prompt_cost_details", "completion_cost_details"}

// Detail takes a field apart that is one kind of token of the details of tokens or costs; false for any other.
func (f Field) Detail() (of Field, kind string, is bool) {
	text, kind, is := strings.Cut(string(f), ".")
	return Field(text), kind, is && kind != "" && !strings.Contains(kind, ".") && slices.Contains(details, Field(text))
}

// OfFeedback says that a field is one of feedback.
func (f Field) OfFeedback() bool {
	switch f {
	case FeedbackKey, FeedbackScore, FeedbackValue, FeedbackComment, FeedbackSource:
		return true
	default:
		return false
	}
}

// Kind says what values a field has; false for one that there isn't.
func (f Field) Kind() (Kind, bool) { return f.kindAmong(kinds) }

func (f Field) kindAmong(fields map[Field]Kind) (Kind, bool) {
	if _, _, is := f.Detail(); is {
		return Number, true
	}
	k, known := fields[f]
	return k, known
}

// Value is a literal. Exactly one of its fields counts, as the kind says; Null means none of them.
type Value struct {
	Null   bool
	Text   *string
	Number *string // Its digits, as written.
	Bool   *bool
	Time   *time.Time
}

// names lists those of all fields.
func names(fields map[Field]Kind) []string {
	names := make([]string, 0, len(fields)+len(details))
	for field := range fields {
		names = append(names, string(field))
	}
	for _, field := range details {
		names = append(names, string(field)+".…")
	}
	slices.Sort(names)
	return names
}

// SyntaxError says what is wrong with a filter and where.
type SyntaxError struct {
	// Position counts characters from 1.
	Position int
	Problem  string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("invalid filter at character %d: %s", e.Position, e.Problem)
}

// timeLayouts are the forms of times; one without a zone is UTC.
var timeLayouts = []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999", time.DateOnly}

// fit is v as a field of kind k takes it.
func (v Value) fit(k Kind) (Value, bool) {
	switch {
	case v.Null:
		return v, true
	case k == Text && v.Text != nil, k == List && v.Text != nil, k == Number && v.Number != nil, k == Bool && v.Bool != nil:
		return v, true
	case k == Any:
		return v, v.Text != nil || v.Number != nil || v.Bool != nil
	case k == Seconds && v.Number != nil, k == Score && v.Number != nil:
		return v, true
	case k == Seconds && v.Text != nil:
		d, err := time.ParseDuration(*v.Text)
		seconds := strconv.FormatFloat(d.Seconds(), 'f', -1, 64)
		return Value{Number: &seconds}, err == nil
	case k == Score && v.Bool != nil:
		score := map[bool]string{false: "0", true: "1"}[*v.Bool]
		return Value{Number: &score}, true
	case k == Bool && v.Number != nil: // Clients write the truth as a number, too, and as a text.
		truth := *v.Number == "1"
		return Value{Bool: &truth}, truth || *v.Number == "0"
	case k == Bool && v.Text != nil:
		truth := strings.EqualFold(*v.Text, "true")
		return Value{Bool: &truth}, truth || strings.EqualFold(*v.Text, "false")
	case k == Time && v.Text != nil:
		for _, layout := range timeLayouts {
			if at, err := time.Parse(layout, *v.Text); err == nil {
				utc := at.UTC()
				return Value{Time: &utc}, true
			}
		}
	}
	return v, false
}
