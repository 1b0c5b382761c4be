// Package thread is conversations: the root runs, or turns, whose metadata has the same thread ID.
//
// A conversation isn't stored. It consists of those of its turns that a query matches, so its figures depend on the query. Lists have the
// most recently continued conversation first, and a filter of conversations is evaluated for each, because its figures are nowhere in
// the store (thread.go).
package thread
