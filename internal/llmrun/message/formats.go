package message

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/agents"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/aisdk"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/chatcompletions"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/check"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/chunk"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/cohere"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/converse"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/convert"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/gemini"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/messages"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/native"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/ollama"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/responses"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// format is how a format is recognized, read, checked, written and reduced.
type format struct {
	name document.Format
	// has reports whether a document has a shape that only this format has; nil for formats in shapes that several share.
	has func(document.Source) bool
	// read fails if a key that the normal form needs is taken; it is nil for a format of streams only.
	read  func(document.Source) (*document.Document, bool)
	check func(*check.Checker, document.Source)
	// target is nil for formats to which documents aren't converted.
	target *convert.Target
	// isChunk recognizes a chunk of a stream, and reduce combines them; nil for formats without streams. No chunk belongs to two
	// formats.
	isChunk func(rawjson.Object) bool
	reduce  func([]json.RawMessage) (json.RawMessage, error)
}

// formatOllama is a format of streams only: without streaming, its answers are read as chat completions.
const formatOllama document.Format = "ollama"

// formats are all formats. Of those with their own shape, the first that a document has counts.
var formats = append([]format{
	{
		document.FormatChatCompletions, nil, chatcompletions.Read, chatcompletions.Check, chatcompletions.Target,
		chatcompletions.IsChunk, chatcompletions.Reduce,
	},
	{document.FormatMessages, nil, messages.Read, messages.Check, messages.Target, messages.IsChunk, messages.Reduce},
	{document.FormatFramework, framework.Has, framework.Read, framework.Check, nil, framework.IsChunk, framework.Reduce},
	{document.FormatGemini, gemini.Has, gemini.Read, gemini.Check, nil, gemini.IsChunk, gemini.Reduce},
	{document.FormatConverse, converse.Has, converse.Read, converse.Check, nil, converse.IsChunk, converse.Reduce},
	{document.FormatResponses, hasResponses, responses.Read, responses.Check, responses.Target, responses.IsChunk, responses.Reduce},
	{document.FormatAISDK, aisdk.Has, aisdk.Read, aisdk.Check, nil, aisdk.IsChunk, aisdk.Reduce},
	{document.FormatCohere, cohere.Has, cohere.Read, cohere.Check, nil, cohere.IsChunk, cohere.Reduce},
	{name: formatOllama, isChunk: ollama.IsChunk, reduce: ollama.Reduce},
	{name: document.FormatNative, read: native.Read, check: native.Check},
}, agentFormats()...)

// Formats returns the formats that can be read.
func Formats() []document.Format { return namesOf(func(f format) bool { return f.read != nil }) }

// StreamFormats returns the formats of streams.
func StreamFormats() []document.Format {
	return namesOf(func(f format) bool { return f.reduce != nil })
}

func namesOf(is func(format) bool) []document.Format {
	var names []document.Format
	for _, f := range formats {
		if is(f) {
			names = append(names, f.name)
		}
	}
	return names
}

// agentFormats are the formats that share a reader.
func agentFormats() []format {
	list := make([]format, len(agents.Formats))
	for i, name := range agents.Formats {
		list[i] = format{name: name, read: agents.Read, check: agents.Check}
	}
	return list
}

// hasResponses reports whether a document has items of the responses format, which a framework's messages under the same key aren't.
func hasResponses(src document.Source) bool {
	key := map[document.Side]string{document.Inputs: "input", document.Outputs: "output"}[src.Side]
	items, _ := src.List(key)
	return responses.Has(src) && !framework.AreMessages(items)
}

func findFormat(name document.Format) *format {
	if i := slices.IndexFunc(formats, func(f format) bool { return f.name == name }); i >= 0 {
		return &formats[i]
	}
	return nil
}

// Build writes the document in a format. In its own format, that is what was read.
//
// In another format, it succeeds only if no content would be lost; otherwise, the error is a *document.LossError. If the conversion may be
// lossy, content that the format can't express is omitted. So is anything that is not content and has no place in that format, such as who
// answered and when: dropped contains the pointers of what is omitted in the normal form.
func Build(d *document.Document, to document.Format, lossy bool) (built []byte, dropped []string, err error) {
	const targets = "choose native, chat_completions, messages or responses"
	f := findFormat(to)
	switch {
	case to == d.Format && d.Source != nil:
		return d.Source, nil, nil
	case d.Format == document.FormatUnrecognized:
		return nil, nil, fmt.Errorf("building %s: the format of the %s is not recognized, so it has no known messages; "+
			"log them in one of the formats native, chat_completions, messages or responses", to, d.Side)
	case to == document.FormatNative:
		return d.Native(), nil, nil
	case f == nil:
		return nil, nil, fmt.Errorf("building %s: unknown format; %s", rawjson.Name(string(to)), targets)
	case f.target == nil:
		return nil, nil, fmt.Errorf("building %s from %s: conversion to this format is not supported; %s", to, d.Format, targets)
	default:
		return f.target.Convert(d, lossy)
	}
}

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
