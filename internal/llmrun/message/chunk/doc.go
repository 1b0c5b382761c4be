// Package chunk joins what arrives in pieces: the machinery that the reducers of all stream formats share.
//
// A Stream reads the chunks, keeps those that the reducer doesn't understand, and notes the error that a stream reports. Its answer is
// a Partial, a value that arrives in pieces: Set replaces a member, for states such as the usage, whose last value counts; Grow adds to
// it and never loses what has arrived. A Table, the file stream.txt of a format, says for each kind of event in which places of the
// answer its members belong, and what they do there. Everything takes time in proportion to the size of the chunks, however they are
// cut.
package chunk
