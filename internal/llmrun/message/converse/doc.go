// Package converse reads, checks and reduces requests, answers and streams of the Converse operation, whose blocks have no type
// but a member for it.
package converse
