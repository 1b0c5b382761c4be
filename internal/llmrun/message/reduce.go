package message

import (
	"encoding/json"
	"fmt"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/check"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/chunk"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Reduce combines the chunks of a streamed answer into the shape of the same answer without streaming.
//
// It accepts streams as they arrive: pieces of several choices, blocks or items in any order, and truncated streams, which
// result in what has arrived. An error that the stream reports is the member "error" of the result. Chunks that can't be
// interpreted are collected in the list "unreduced_chunks" of the result; one that isn't JSON is a string there. Only a
// stream without any interpretable chunk is an error, and even then the result contains these chunks.
func Reduce(format document.Format, chunks []json.RawMessage) (json.RawMessage, error) {
	if f := findFormat(format); f != nil && f.reduce != nil {
		return f.reduce(chunks)
	}
	return nil, fmt.Errorf("reducing %s: not a stream format; choose %s", rawjson.Name(string(format)), check.Alternatives(StreamFormats()))
}

// StreamFormat returns the format of a stream according to the first chunk that determines it, document.FormatUnrecognized if none
// does.
func StreamFormat(chunks []json.RawMessage) document.Format {
	for _, raw := range chunks {
		o, ok := chunk.Open(raw)
		for _, f := range formats {
			if ok && f.isChunk != nil && f.isChunk(o) {
				return f.name
			}
		}
	}
	return document.FormatUnrecognized
}
