// Package tracing is the tracing service: projects and conversations, and the rooms below it in one place.
//
// A run belongs to a project, which exists from its first run on, and which the API calls a session. A project has statistics (session_stats.go)
// and a dashboard (dashboard.go). Root runs with the same thread ID form a conversation (thread.go).
//
// The rooms are packages of their own: run keeps runs and answers queries, ingest and otlp read what clients send, price says what tokens
// cost, figure adds up, and feedback is what people said.
package tracing
