package filter

import "slices"

// The fields of a conversation that runs don't have.
const (
	TurnCount       Field = "turn_count"
	ErroredTurns    Field = "num_errored_turns"
	ThreadDuration  Field = "thread_duration" // Seconds from the start of the first turn to the end of the last, as are the next two.
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
		return nil, &SyntaxError{Position: 1, Problem: "a filter of conversations searches for no text: use filter, which is about their runs"}
	}
	return e, err
}

// searches says that a filter looks for a text in all that was said.
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
