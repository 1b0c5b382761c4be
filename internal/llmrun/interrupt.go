package llmrun

import "strings"

// InterruptFilter matches the same runs as Interrupted, in the filter language of tracing services.
const InterruptFilter = `or(like(error, "GraphInterrupt%"), like(error, "%\n\nGraphInterrupt:%"))`

// Interrupted reports whether the error of a run is an interrupt of a LangGraph graph, which waits for input. Clients in Python log the
// exception first; those in JavaScript log its message, an empty line and the stack, which begins with the name of the exception.
func Interrupted(runError string) bool {
	return strings.HasPrefix(runError, "GraphInterrupt") || strings.Contains(runError, "\n\nGraphInterrupt:")
}
