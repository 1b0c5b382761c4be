// Package chatcompletions reads, writes and checks the chat-completions format, which many providers share.
//
// Reasoning, the answer's audio and the tool calls are separate members of a message there. They become blocks: reasoning
// before the content, audio and calls after it.
package chatcompletions
