// Package messages reads, writes and checks the messages format.
//
// The format has no role for tools: their answers are blocks of a user's message, which is split into a message for each
// answer and one for the blocks between. The system prompt beside the messages becomes the first message.
package messages
