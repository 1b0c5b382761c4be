// Package lookup reads what several resources refer to: listeners, tracing projects and the tokens of the user.
//
// A plan requests each list at most once. It is cached for the configured provider under a key of this package, and the resource that changes
// it drops or amends it.
package lookup
