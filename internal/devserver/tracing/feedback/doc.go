// Package feedback is what people and programs say about runs, projects and conversations: a score, a value or a comment, under a key.
//
// Feedback may arrive before its run. Feedback on a conversation is attached to one of its runs, and counts for the run as well. Each key
// has a configuration that says what its values are; the first feedback creates one if there is none.
//
// A token allows feedback without an API key, on the token's run and under its key, until it expires.
//
// [Save] stores feedback, [Ratings] aggregates it by key, and [Endpoints] are the service's.
package feedback
