// Package convert writes documents in another format.
//
// A format declares in a Target what it has names for. What it can't express follows from writing the document and reading it back: what
// isn't read back is lost, unless it is no content, such as who answered and when, which is dropped. A conversion with losses fails, or
// leaves them out if that is asked for. All have the pointers of the normal form, although reasoning is moved to where the target has it.
package convert
