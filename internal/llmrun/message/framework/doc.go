// Package framework reads and checks the messages of a framework: constructors, messages with a type instead of a role, pairs
// of a role and a content, and the prompts and generations that its tracer logs. It reduces the pieces of streamed messages.
package framework
