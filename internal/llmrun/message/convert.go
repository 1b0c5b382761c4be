package message

import (
	"fmt"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Build writes the document in a format. In its own format, that is what was read.
//
// In another format, it succeeds only if no content would be lost; otherwise, the error is a *document.LossError. Anything that is
// not content and has no place in that format, such as who answered and when, is omitted: dropped contains its pointers in
// the normal form.
func Build(d *document.Document, to document.Format) (built []byte, dropped []string, err error) {
	return build(d, to, false)
}

// BuildLossy is Build, but content that the format can't express is omitted as well.
func BuildLossy(d *document.Document, to document.Format) (built []byte, dropped []string, err error) {
	return build(d, to, true)
}

func build(d *document.Document, to document.Format, lossy bool) (built []byte, dropped []string, err error) {
	if to == d.Format && d.Source != nil {
		return d.Source, nil, nil
	}
	if d.Format == document.FormatUnrecognized {
		return nil, nil, fmt.Errorf("building %s: the format of the %s is not recognized, so it has no known messages; "+
			"log them in one of the formats native, chat_completions, messages or responses", to, d.Side)
	}
	f := findFormat(to)
	switch {
	case to == document.FormatNative:
		return d.Native(), nil, nil
	case f == nil:
		return nil, nil, fmt.Errorf("building %s: unknown format; choose native, chat_completions, messages or responses", rawjson.Name(string(to)))
	case f.target == nil:
		return nil, nil, fmt.Errorf("building %s from %s: conversion to this format is not supported; choose native, chat_completions, messages or responses",
			to, d.Format)
	default:
		return f.target.Convert(d, lossy)
	}
}
