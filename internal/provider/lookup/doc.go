// Package lookup reads what several resources refer to: listeners, tracing projects and the tokens of the user.
//
// A plan asks for each at most once, whoever asks first: what it has read is remembered for the configured provider, under a key of this
// package, and dropped or amended by the resource that changes it.
package lookup
