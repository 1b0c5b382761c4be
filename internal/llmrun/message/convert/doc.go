// Package convert prepares documents for being written in another format.
//
// A format declares in a Target what it has a place for. What is not content and has no place, such as who answered and
// when, is dropped; content that has no place is a loss. The conversion fails then, or leaves it out if that is asked for. Both have
// the pointers of the normal form, although reasoning is moved to where the target has it.
package convert
