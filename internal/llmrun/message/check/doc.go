// Package check collects the problems of a document: values that break the rules of its format.
//
// A Checker has the rules that several formats share, for roles, content, calls and usage, and knows which calls a message
// can answer. The packages of the formats have the others.
package check
