// Package share gives access to a run and all runs below it by a token, without a key.
//
// A share is a token for one run. Its holder can read that part of the trace, with its feedback, in the workspace of the run, and nothing
// else there: every endpoint starts from [Runs]. A run has at most one token, and keeps it until it is no longer shared.
package share
