package filter

import "slices"

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
