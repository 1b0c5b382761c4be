// Package agents reads what agents, their protocols and tracing conventions log: lists of entries that are messages with
// parts, or items such as a call and its result.
//
// The formats differ in names, not in structure, so they share a reader: open.go finds the entries and recognizes the format by
// members that only this format has, and checks them; read.go makes messages of the entries. Their parts are read by package part.
package agents
