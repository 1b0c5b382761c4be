package message

import (
	"fmt"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
)

// TestNormalizeEither distinguishes answers from requests by the members next to the messages, and reads a plain list of messages as inputs.
func TestNormalizeEither(t *testing.T) {
	t.Parallel()
	const item = `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Hi"}]}`
	for doc, want := range map[string]document.Side{
		`{"output":[` + item + `]}`:                                                   document.Outputs,
		`{"id":"r","output":[` + item + `],"status":"completed"}`:                     document.Outputs,
		`{"object":"response","output":[` + item + `],"tools":[],"temperature":1}`:    document.Outputs,
		`{"output":[{"role":"assistant","content":"Hi"}]}`:                            document.Outputs,
		`{"choices":[{"message":{"role":"assistant","content":"Hi"}}]}`:               document.Outputs,
		`{"role":"assistant","content":"Hi"}`:                                         document.Outputs,
		`{"type":"message","role":"assistant","content":[],"stop_reason":"end_turn"}`: document.Outputs,
		`["assistant","Hi"]`:                document.Outputs,
		`{"generations":[[{"text":"Hi"}]]}`: document.Outputs,
		`{"messages":[{"role":"user","content":"Hi"}],"usage_metadata":{}}`: document.Outputs,
		`{"input":[` + item + `],"tools":[]}`:                               document.Inputs,
		`{"input":"Hi"}`:                                                    document.Inputs,
		`{"messages":[{"role":"user","content":"Hi"}]}`:                     document.Inputs,
		`{"messages":[{"role":"assistant","content":"Hi"}]}`:                document.Inputs,
		`[{"role":"user","content":"Hi"}]`:                                  document.Inputs,
		`{"role":"user","content":"Hi"}`:                                    document.Inputs,
		`{"prompt":"Hi","max_tokens":5}`:                                    document.Inputs,
		`{"question":"Hi"}`:                                                 document.Inputs,
		`7`:                                                                 document.Inputs,
		// Documents that can be read as one side only.
		`{"result":{"choices":[{"message":{"role":"assistant","content":"Hi"}}]}}`:               document.Outputs,
		`{"kwargs":{"messages":[{"role":"user","content":"Hi"}]}}`:                               document.Inputs,
		`{"args":[{"messages":[{"role":"user","content":"Hi"}]},{"headers":{}}]}`:                document.Inputs,
		`{"messages":[[{"lc":1,"id":["HumanMessage"],"kwargs":{"content":"Hi"}}]],"usage":null}`: document.Inputs,
		`{"question":[{"role":"user","content":"Hi"}],"response":1}`:                             document.Inputs,
	} {
		d, err := NormalizeEither([]byte(doc))
		assert.Must(t, err)
		assert.Same(t, fmt.Sprintf("%s: side", doc), want, d.Side)
	}
	if _, err := NormalizeEither([]byte(`{`)); err == nil {
		t.Error("NormalizeEither of invalid JSON: error = nil, want one")
	}
}
