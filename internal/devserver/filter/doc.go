// Package filter parses the filter language of run queries: and(eq(run_type, "llm"), gt(latency, 2.5)).
//
// It knows the language and the fields of a run, but not how runs are stored.
package filter
