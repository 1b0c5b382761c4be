package message

import (
	"fmt"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
)

// TestPartsAreReadAlike reads parts of several providers in messages of several formats: a part has the same block in all.
func TestPartsAreReadAlike(t *testing.T) {
	t.Parallel()
	around := map[document.Format][2]string{
		document.FormatNative:          {`{"messages":[{"role":"assistant","content":[`, `]}]}`},
		document.FormatChatCompletions: {`{"choices":[{"message":{"role":"assistant","content":[`, `]}}]}`},
		document.FormatMessages:        {`{"role":"assistant","content":[`, `]}`},
		document.FormatResponses:       {`{"output":[{"type":"message","role":"assistant","content":[`, `]}]}`},
		document.FormatFramework:       {`{"messages":[{"type":"ai","content":[`, `]}]}`},
		document.FormatAISDK:           {`{"messages":[{"role":"assistant","content":[`, `]}]}`},
	}
	for part, want := range map[string]string{
		`{"type":"text","text":"a","citations":[{"type":"page_location"}]}`: `{"type":"text","text":"a","annotations":[{"type":"page_location"}]}`,
		`{"type":"output_text","text":"a","annotations":[]}`:                `{"type":"text","text":"a","annotations":[]}`,
		`{"type":"image_url","image_url":{"url":"u","detail":"low"}}`:       `{"type":"image","url":"u","extras":{"image_url":{"detail":"low"}}}`,
		`{"type":"image","image":"https://e.x/a.png"}`:                      `{"type":"image","url":"https://e.x/a.png"}`,
		`{"type":"input_file","file_id":"f"}`:                               `{"type":"file","id":"f"}`,
		`{"type":"file","data":"AA","mediaType":"audio/wav"}`:               `{"type":"audio","base64":"AA","mime_type":"audio/wav"}`,
		`{"type":"thinking","thinking":"a","signature":"s"}`:                `{"type":"reasoning","text":"a","extras":{"signature":"s"}}`,
		`{"type":"tool_use","id":"c","name":"f","input":{"a":1}}`:           `{"type":"tool_call","id":"c","name":"f","args":{"a":1}}`,
		`{"type":"tool-call","toolCallId":"c","toolName":"f","input":{}}`:   `{"type":"tool_call","id":"c","name":"f","args":{}}`,
		`{"type":"function_call","call_id":"c","name":"f","arguments":""}`:  `{"type":"tool_call","id":"c","name":"f","extras":{"arguments":""}}`,
		`{"functionCall":{"name":"f","args":{}},"thoughtSignature":"s"}`:    `{"type":"tool_call","name":"f","args":{},"extras":{"thoughtSignature":"s"}}`,
		`{"toolUse":{"toolUseId":"c","name":"f","input":{}}}`:               `{"type":"tool_call","id":"c","name":"f","args":{}}`,
		`{"type":"hologram","n":1}`:                                         `{"type":"hologram","extras":{"n":1}}`,
	} {
		for format, wrap := range around {
			d, ok := readAs(document.NewSource([]byte(wrap[0]+part+wrap[1]), document.Outputs), format)
			if !ok || len(d.Messages) != 1 {
				t.Errorf("%s: the message with %s can't be read", format, part)
				continue
			}
			d.Extras, d.Messages[0].Extras = nil, nil
			whole := `{"messages":[{"role":"assistant","content":[` + want + `]}],"extras":{}}`
			assert.Same(t, fmt.Sprintf("%s: %s", format, part), canonical([]byte(whole)), canonical(d.Native()))
		}
	}
}

// TestForeignWrapper reads an entry whose member has the name of a wrapper in another format: only that format has its messages there.
func TestForeignWrapper(t *testing.T) {
	t.Parallel()
	d, err := Normalize([]byte(`{"messages":[{"role":"user","parts":[{"type":"text","content":"a"}],"message":{"role":"tool","content":"b"}}]}`), document.Inputs)
	if err != nil || d.Format != document.FormatOpenTelemetry {
		t.Fatalf("format = %s, %v, want %s", d.Format, err, document.FormatOpenTelemetry)
	}
	if m := d.Messages[0]; len(d.Messages) != 1 || m.Role != document.RoleUser || m.Text() != "a" || m.Extras["message"] == nil {
		t.Errorf("the messages are %+v, want one of the user with the text a and the extra message", d.Messages)
	}
}
