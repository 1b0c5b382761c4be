// Package convert prepares documents for being written in another format.
//
// A format declares in a Target what it has a place for. What is not content and has no place, such as who answered and
// when, is dropped; content that has no place is a loss, and the conversion fails. Both have the pointers of the original
// document, although reasoning is moved to where the target has it.
package convert
