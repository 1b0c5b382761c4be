// Package run keeps what agents have done, and answers questions about it.
//
// A run is one step of an agent, such as a call of a model. Runs form traces: a run names its parent, its trace is known by its root,
// and a dotted order, the start times and IDs from the root down, is its place. Clients log a run twice, when it starts and when it
// ends, in any order, in any number of requests, and again if a response was lost. So what clients have said is kept as they said it,
// and the row that queries use is derived from all of it (derive.go).
//
// Runs arrive in both formats of the API (ingest_handlers.go) and as spans of OpenTelemetry (place.go). All wait
// for the one transaction that writes, so a request is derived before it, from what it reads (draft.go), and the transaction compares
// that with what is stored (log.go). Both versions of the API have queries (query.go) whose answers contain only what
// was selected (answer.go), and statistics (stats.go). A query sees a [View]: one workspace, in one transaction.
package run
