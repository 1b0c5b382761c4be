package message

import (
	"fmt"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Build writes the document in a format. Into its own format, that gives back what was read, up to the order of keys.
// Into another one it succeeds only when nothing would be lost; otherwise the error is a *LossError.
func (d *Document) Build(to Format) ([]byte, error) {
	if d.Format == FormatUnrecognized {
		if to == FormatUnrecognized {
			return d.Extras[keyRaw], nil
		}
		return nil, fmt.Errorf("building %s: the format of the %s is not recognized, so there are no messages to build from; "+
			"log them in one of the formats native, chat_completions, messages or responses", to, d.Side)
	}
	switch to {
	case FormatNative:
		return buildNative(d)
	case FormatChatCompletions:
		return buildChat(d)
	case FormatMessages:
		return buildMessages(d)
	case FormatResponses:
		return buildResponses(d)
	case FormatFramework:
		return buildFramework(d)
	default:
		return nil, fmt.Errorf("building %s: no such format; choose native, chat_completions, messages or responses", rawjson.Name(string(to)))
	}
}

// Convert reads one half of a run in whatever format it has, and writes it in another.
func Convert(data []byte, side Side, to Format) ([]byte, error) {
	d, err := Normalize(data, side)
	if err != nil {
		return nil, err
	}
	return d.Build(to)
}
