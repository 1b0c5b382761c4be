package message

import (
	"fmt"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Build writes the document in a format. In its own format, that restores what was read, except for the order of keys.
//
// In another format, it succeeds only if no content would be lost; otherwise, the error is a *LossError. Anything that is
// not content and has no place in that format, such as who answered and when, is omitted: dropped contains its pointers in
// the normal form.
func (d *Document) Build(to Format) (built []byte, dropped []string, err error) {
	if d.Format == FormatUnrecognized {
		if to == FormatUnrecognized {
			return d.Extras[keyRaw], nil, nil
		}
		return nil, nil, fmt.Errorf("building %s: the format of the %s is not recognized, so it has no known messages; "+
			"log them in one of the formats native, chat_completions, messages or responses", to, d.Side)
	}
	if to == d.Format && d.source != nil {
		return d.source, nil, nil
	}
	switch to {
	case FormatNative:
		return buildNative(d), nil, nil
	case FormatChatCompletions:
		return buildChat(d)
	case FormatMessages:
		return buildMessages(d)
	case FormatResponses:
		return buildResponses(d)
	case FormatFramework:
		built, err = buildFramework(d)
		return built, nil, err
	case FormatGemini, FormatConverse, FormatSDK, FormatCohere:
		return nil, nil, fmt.Errorf("building %s from %s: conversion to this format is not supported; choose native, chat_completions, messages or responses",
			to, d.Format)
	default:
		return nil, nil, fmt.Errorf("building %s: unknown format; choose native, chat_completions, messages or responses", rawjson.Name(string(to)))
	}
}
