package message

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/convert"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// itemFormats are the formats whose messages don't correspond one to one to those of the normal form.
var itemFormats = []document.Format{document.FormatMessages, document.FormatResponses}

// oneWay are the cases that can't be converted back from the normal form alone.
var oneWay = []string{
	// Members that a client adds around an answer can't be part of a message in the format.
	"inputs_tool_result_message",
	// A wrapper's members can't be next to messages.
	"inputs_list_wrapped", "outputs_wrapped",
	// The picture in the answer to a computer call isn't content.
	"inputs_computer",
	// A source without data can't be written from the normal form.
	"inputs_image_broken",
}

// checkItemConversions checks what must be true when building the messages or responses format from another one: the result has
// the same messages, or the error lists what would be lost.
func checkItemConversions(t *testing.T, d *document.Document) {
	t.Helper()
	targets := itemFormats
	if slices.Contains(itemFormats, d.Format) {
		targets = append([]document.Format{document.FormatChatCompletions}, targets...)
	}
	for _, format := range targets {
		if d.Format == format || d.Format == document.FormatUnrecognized {
			continue
		}
		built, _, err := Build(d, format, false)
		if lost, ok := errors.AsType[*document.LossError](err); ok {
			if len(lost.Losses) == 0 {
				t.Fatal("the LossError has no losses")
			}
			continue
		}
		assert.Must(t, err)
		again, ok := readAs(document.NewSource(built, d.Side), format)
		if !ok {
			t.Fatalf("the result can't be read as %s: %s", format, built)
		}
		if diff := differ(meaning(&convert.Prepare(d, findFormat(format).target).Document), meaning(again), ignoreVoid); diff != "" {
			t.Fatalf("%s: messages (-original +read from the result):\n%s", built, diff)
		}
	}
}

// meaning returns a document without what each format expresses differently or not at all: the success of a server's call, and missing content.
func meaning(d *document.Document) *document.Document {
	out := alike(d)
	if n := len(out.Messages); n > 0 && d.Side == document.Outputs && rawjson.IsObject(out.Extras["usage_metadata"]) && rawjson.IsVoidOrAbsent(out.Messages[n-1].UsageMetadata) {
		out.Messages[n-1].UsageMetadata = out.Extras["usage_metadata"]
		out.Extras = out.Extras.Without("usage_metadata")
	}
	for i := range out.Messages {
		m := &out.Messages[i]
		if rawjson.IsVoidOrAbsent(m.UsageMetadata) {
			m.UsageMetadata = nil
		}
		if (m.Role == document.RoleTool || m.Role == document.RoleReasoning) && m.Content == nil {
			m.Content = []document.Block{}
		}
		for j := range m.Content {
			b := &m.Content[j]
			if b.Type == document.BlockServerToolResult {
				b.Status = nil
			}
		}
	}
	return out
}

// TestServerToolStatus reads whether a tool that the service called has failed.
func TestServerToolStatus(t *testing.T) {
	t.Parallel()
	sdk := func(member string) string {
		return `{"messages":[{"role":"assistant","content":[{"type":"tool-call","toolCallId":"c","toolName":"a","input":{}},` +
			`{"type":"tool-result","toolCallId":"c","toolName":"a","output":{"type":"text","value":"x"}` + member + `}]}]}`
	}
	for doc, want := range map[string]string{
		sdk(""): "success", sdk(`,"isError":false`): "success", sdk(`,"isError":true`): "error",
	} {
		d := normalized(t, []byte(doc), document.Inputs)
		if native := string(d.Native()); d.Format != document.FormatAISDK || !strings.Contains(native, `"status":"`+want+`"`) {
			t.Errorf("%s was read as format %s, %s; want the status %s", doc, d.Format, native, want)
		}
	}
}
