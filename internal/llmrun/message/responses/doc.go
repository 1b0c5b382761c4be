// Package responses reads, writes and checks the responses format.
//
// A model's message, its reasoning and each of its calls are separate items there. Reasoning becomes a message of that
// role; calls are added to the preceding message of the assistant, or to one without an item.
package responses
