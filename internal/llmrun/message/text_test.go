package message

import (
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
)

// TestTextOfMessages compares the text of answers with what the SDKs return for the same answers:
//
//   - openai: Response.output_text is texts.join("") over the parts of type output_text (lib/ResponsesParser).
//   - anthropic (Python): MessageStream.get_final_text joins the text blocks with "". Its TypeScript twin, finalText, joins them
//     with a space, which would break a cited sentence.
//   - @google/genai: GenerateContentResponse.text appends the text of each part that isn't a thought.
//   - ai: StepResult.text is content.filter(text).map(text).join("").
//   - @langchain/core: BaseMessage.text appends the text of each block of type text.
func TestTextOfMessages(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		format    document.Format
		doc, want string
	}{
		"responses": {document.FormatResponses,
			`{"object":"response","output":[{"type":"message","role":"assistant","content":[` +
				`{"type":"output_text","text":"The sky is ","annotations":[]},{"type":"output_text","text":"blue.","annotations":[]}]}]}`,
			"The sky is blue."},
		"messages with citations": {document.FormatMessages,
			`{"type":"message","role":"assistant","stop_reason":"end_turn","content":[{"type":"thinking","thinking":"Cite.","signature":"s"},` +
				`{"type":"text","text":"According to the document, "},{"type":"text","text":"the grass is green","citations":[{"type":"char_location",` +
				`"cited_text":"The grass is green.","document_index":0,"document_title":"Nature","start_char_index":0,"end_char_index":20}]},` +
				`{"type":"text","text":" and "},{"type":"text","text":"the sky is blue"},{"type":"text","text":"."}]}`,
			"According to the document, the grass is green and the sky is blue."},
		"gemini": {document.FormatGemini,
			`{"candidates":[{"content":{"role":"model","parts":[{"text":"Think.","thought":true},{"text":"The sky "},{"text":"is blue."}]}}]}`,
			"The sky is blue."},
		"ai_sdk": {document.FormatAISDK,
			`{"content":[{"type":"text","text":"The sky "},{"type":"tool-call","toolCallId":"c","toolName":"look","input":{}},{"type":"text","text":"is blue."}],` +
				`"finishReason":"stop","usage":{"inputTokens":1,"outputTokens":1}}`,
			"The sky is blue."},
		"framework": {document.FormatFramework,
			`{"generations":[[{"message":{"type":"ai","content":[{"type":"text","text":"The sky "},{"type":"text","text":"is blue."}]}}]]}`,
			"The sky is blue."},
		"nothing": {document.FormatChatCompletions, `{"choices":[{"message":{"role":"assistant","content":null,"tool_calls":[]}}]}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, err := Normalize([]byte(c.doc), document.Outputs)
			if err != nil || d.Format != c.format || len(d.Messages) != 1 {
				t.Fatalf("read as %+v, %v; want one message of %s", d, err, c.format)
			}
			assert.Same(t, "text", c.want, d.Messages[0].Text())
		})
	}
}
