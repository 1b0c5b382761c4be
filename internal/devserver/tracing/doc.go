// Package tracing is the tracing service: it keeps what agents have done, and answers questions about it.
//
// A run is one step of an agent, such as a call of a model. Runs form traces: a run names its parent, its trace is known by its root,
// and a dotted order, the start times and IDs from the root down, is its place. Clients log a run twice, when it starts and when it
// ends, in any order, in any number of requests, and again if a response was lost. So what clients have said is kept as they said it,
// and the row that queries use is derived from all of it (run_derive.go, run_layers.go). A run belongs to a project,
// which exists from its first run on. Root runs with the same thread ID form a conversation.
//
// Packages below are rooms of their own: ingest and otlp read what clients send, price says what tokens cost, figure adds up, and feedback
// is what people said. Here are
//
//   - logging (log.go, run_ingest.go, run_log.go, span_log.go, otlp.go),
//   - queries of runs in both versions of the API (run_query.go, run_query_v2.go), whose answers have only what was selected
//     (run_answer.go), their statistics (run_stats_query.go), and shared runs (run_share.go),
//   - projects, which the API calls sessions (session.go), with their dashboards (dashboard.go),
//   - conversations (thread.go) and traces (trace.go).
package tracing
