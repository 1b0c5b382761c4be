// Package share gives anybody with a token access to a run and all runs below it, without a key.
//
// A share is a token for one run. Whoever has it reads that part of the trace, with its feedback, in the workspace of the run, and nothing
// else there: every endpoint starts from [Runs]. A run has at most one token, and keeps it until it is no longer shared.
package share
