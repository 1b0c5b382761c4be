package message

import (
	"fmt"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Build writes the document in a format. Into its own format, that gives back what was read, up to the order of keys.
//
// Into another one it succeeds only when no content would be lost; otherwise the error is a *LossError. What is no content and
// has no place in that format, such as who answered when, is left out: dropped are its pointers in the normal form.
func (d *Document) Build(to Format) (built []byte, dropped []string, err error) {
	if d.Format == FormatUnrecognized {
		if to == FormatUnrecognized {
			return d.Extras[keyRaw], nil, nil
		}
		return nil, nil, fmt.Errorf("building %s: the format of the %s is not recognized, so there are no messages to build from; "+
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
		return nil, nil, fmt.Errorf("building %s from %s: nothing is converted to that format; choose native, chat_completions, messages or responses",
			to, d.Format)
	default:
		return nil, nil, fmt.Errorf("building %s: no such format; choose native, chat_completions, messages or responses", rawjson.Name(string(to)))
	}
}
