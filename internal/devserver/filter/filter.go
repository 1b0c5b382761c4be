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

// And holds if all of its terms do. Direct comparisons of metadata_key and metadata_value, and lists of them, refer to the
// same entry; so do those of feedback, of inputs and of outputs. A condition that a key differs holds if no entry has this
// key; one that only a value differs holds if no entry has this value.
type And struct{ Terms []Expr }

// Or holds if one of its terms does.
type Or struct{ Terms []Expr }

// Not holds if its term doesn't.
type Not struct{ Term Expr }

// Compare compares a field with a value. Compared with null, it holds if the field has no value (eq), or if it has one
// (neq).
type Compare struct {
	Op    Op
	Field Field
	Value Value
}

// In holds if a field has one of several values.
type In struct {
	Field  Field
	Values []Value
}

// Has holds if a list contains a value.
type Has struct {
	Field Field
	Value Value
}

// Search holds if a run contains the text, ignoring case.
type Search struct{ Text string }

// Like holds if a string matches a pattern, ignoring case. A percent sign matches any text, unless Contains says that the
// pattern is a plain substring.
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

// Op is a comparison operator.
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

// Field is a property of a run that filters can use.
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

// Kind is the type of a field's values.
type Kind string

// The kinds of values.
const (
	Text   Kind = "a string"
	Number Kind = "a number"
	Bool   Kind = "true or false"
	Time   Kind = "a time such as \"2026-01-02T03:04:05Z\""
	List   Kind = "a list of strings"
	// Seconds may have a unit.
	Seconds Kind = "a number of seconds, or a duration such as \"5s\""
	// Score is a number or a boolean.
	Score Kind = "a number, true or false"
	// Object and Content have their own kinds of conditions.
	Object  Kind = "an object"
	Content Kind = "an object that is matched as text"
	// Any is a string, a number or a boolean: any metadata value.
	Any Kind = "a string, a number, true or false"
)

var kinds = map[Field]Kind{
	ID: Text, Name: Text, RunType: Text, Status: Text, StartTime: Time, EndTime: Time, Latency: Seconds, FirstTokenTime: Time,
	TotalTokens: Number, PromptTokens: Number, OutputTokens: Number, TotalCost: Number, PromptCost: Number, OutputCost: Number, Error: Text, Tags: List,
	ExecutionOrder: Number, IsRoot: Bool, TraceID: Text, ParentRunID: Text, ThreadID: Text, MetadataKey: Text,
	MetadataValue: Any, FeedbackKey: Text, FeedbackScore: Score, FeedbackValue: Any, FeedbackComment: Text, FeedbackSource: Text,
	UserID: Text, Inputs: Content, Outputs: Content, Metadata: Object, InputKey: Text, InputValue: Any, OutputKey: Text, OutputValue: Any,
}

// details are the fields with a number for each kind of token, written as prompt_token_details.cache_read.
var details = []Field{"prompt_token_details", "completion_token_details", "prompt_cost_details", "completion_cost_details"}

// Detail splits a field that is one kind of token in the details of tokens or costs; false for any other field.
func (f Field) Detail() (of Field, kind string, is bool) {
	text, kind, is := strings.Cut(string(f), ".")
	return Field(text), kind, is && kind != "" && !strings.Contains(kind, ".") && slices.Contains(details, Field(text))
}

// Kind returns the type of a field's values; false for an unknown field.
func (f Field) Kind() (Kind, bool) { return f.kindAmong(kinds) }

func (f Field) kindAmong(fields map[Field]Kind) (Kind, bool) {
	if _, _, is := f.Detail(); is {
		return Number, true
	}
	k, known := fields[f]
	return k, known
}

// Value is a literal. Its kind says which of its fields is set; Null means none of them.
type Value struct {
	Null   bool
	Text   *string
	Number *string // Its digits, as written.
	Bool   *bool
	Time   *time.Time
}

// names lists all fields.
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

// SyntaxError reports what is wrong with a filter, and where.
type SyntaxError struct {
	// Position counts characters from 1.
	Position int
	Problem  string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("invalid filter at character %d: %s", e.Position, e.Problem)
}

// timeLayouts are the accepted time formats; times without a zone are UTC.
var timeLayouts = []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999", time.DateOnly}

// fit converts v to a value of kind k. Clients write some kinds in several ways.
func (v Value) fit(k Kind) (Value, bool) {
	if v.Null {
		return v, true
	}
	switch k {
	case Text, List:
		return v, v.Text != nil
	case Number:
		return v, v.Number != nil
	case Any:
		return v, v.Text != nil || v.Number != nil || v.Bool != nil
	case Seconds:
		return v.seconds()
	case Score:
		if v.Bool != nil {
			return Value{Number: new(map[bool]string{false: "0", true: "1"}[*v.Bool])}, true
		}
		return v, v.Number != nil
	case Bool:
		return v.truth()
	case Time:
		return v.time()
	default:
		return v, false
	}
}

// seconds converts a number, or a duration such as 1.5s.
func (v Value) seconds() (Value, bool) {
	if v.Text == nil {
		return v, v.Number != nil
	}
	d, err := time.ParseDuration(*v.Text)
	return Value{Number: new(strconv.FormatFloat(d.Seconds(), 'f', -1, 64))}, err == nil
}

// truth converts a boolean, or a number or string that clients write for one.
func (v Value) truth() (Value, bool) {
	switch {
	case v.Number != nil:
		return Value{Bool: new(*v.Number == "1")}, *v.Number == "0" || *v.Number == "1"
	case v.Text != nil:
		truth := strings.EqualFold(*v.Text, "true")
		return Value{Bool: &truth}, truth || strings.EqualFold(*v.Text, "false")
	default:
		return v, v.Bool != nil
	}
}

// time converts a string in one of timeLayouts.
func (v Value) time() (Value, bool) {
	if v.Text == nil {
		return v, false
	}
	for _, layout := range timeLayouts {
		if at, err := time.Parse(layout, *v.Text); err == nil {
			return Value{Time: new(at.UTC())}, true
		}
	}
	return v, false
}

// sessionKinds are the fields of a tracing project that filters can use.
var sessionKinds = map[Field]Kind{ID: Text, Name: Text, StartTime: Time, MetadataKey: Text, MetadataValue: Any}

// ParseSession reads a filter of tracing projects. The error is a *SyntaxError.
func ParseSession(text string) (Expr, error) { return parse(text, sessionKinds) }

// The fields of a conversation that runs don't have.
const (
	TurnCount       Field = "turn_count"
	ErroredTurns    Field = "num_errored_turns"
	ThreadDuration  Field = "thread_duration" // Seconds from the start of the first turn to the end of the last; so are the next two.
	TraceLatencyP50 Field = "trace_latency_p50"
	TraceLatencyP99 Field = "trace_latency_p99"
)

var threadKinds = map[Field]Kind{
	ThreadID: Text, TurnCount: Number, ErroredTurns: Number, ThreadDuration: Seconds, TraceLatencyP50: Seconds, TraceLatencyP99: Seconds,
	TotalTokens: Number, PromptTokens: Number, OutputTokens: Number, TotalCost: Number, PromptCost: Number, OutputCost: Number,
	FeedbackKey: Text, FeedbackScore: Score, FeedbackValue: Any,
}

// ParseThread reads a filter of conversations. The error is a *SyntaxError.
func ParseThread(text string) (Expr, error) {
	e, err := parse(text, threadKinds)
	if err == nil && searches(e) {
		return nil, &SyntaxError{Position: 1, Problem: "a thread filter can't search for text: use filter, which applies to the runs"}
	}
	return e, err
}

// searches reports whether a filter searches the contents of runs.
func searches(e Expr) bool {
	switch e := e.(type) {
	case And:
		return anySearches(e.Terms)
	case Or:
		return anySearches(e.Terms)
	case Not:
		return searches(e.Term)
	case Search, Like:
		return true
	}
	return false
}

func anySearches(terms []Expr) bool { return slices.ContainsFunc(terms, searches) }
