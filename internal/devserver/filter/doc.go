// Package filter knows the filter language of run queries, such as and(eq(run_type, "llm"), gt(latency, 2.5)), and what its
// conditions mean.
//
// A filter is about a run, or about a conversation. A field has at most one value, such as a latency, or belongs to entries, of
// which there are any number: metadata, feedback, and what is in the inputs and outputs. A field without a value differs from every
// value. Conditions on entries that stand side by side in and(…) are about the same entry.
//
// [Parse] and [ParseThread] read the language, and [Holds] evaluates a filter. The store translates filters to SQL instead, because
// it has indexes; its tests compare the two.
package filter
