package message

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
)

// TestConvertWholeAnswers converts answers as providers send them: members that aren't content are listed in the order in which they
// are dropped.
func TestConvertWholeAnswers(t *testing.T) {
	t.Parallel()
	const chat = `{"id":"chatcmpl-1","object":"chat.completion","created":1741569952,"model":"gpt-4.1","choices":[{"index":0,"message":{"role":"assistant",` +
		`"content":"Hello!","refusal":null,"annotations":[]},"logprobs":{"content":[{"token":"Hello"}]},"finish_reason":"stop"}],` +
		`"usage":{"prompt_tokens":19,"completion_tokens":10,"total_tokens":29},"service_tier":"default","system_fingerprint":"fp_1"}`
	const message = `{"id":"msg_1","type":"message","role":"assistant","model":"claude-sonnet-4-5","content":[{"type":"thinking","thinking":"Greet.","signature":"c2ln"},` +
		`{"type":"text","text":"Hello!"}],"stop_reason":"pause_turn","stop_sequence":null,"usage":{"input_tokens":19,"output_tokens":10}}`
	const response = `{"id":"resp_1","object":"response","created_at":1741476542,"status":"completed","error":null,"model":"gpt-5","output":[` +
		`{"type":"reasoning","id":"rs_1","summary":[]},{"type":"message","id":"msg_1","status":"completed","role":"assistant",` +
		`"content":[{"type":"output_text","text":"Hello!","annotations":[],"logprobs":[]}]}],"parallel_tool_calls":true,"reasoning":{"effort":"low"},` +
		`"text":{"format":{"type":"text"}},"tools":[{"type":"web_search"}],"usage":{"input_tokens":19,"output_tokens":10}}`
	const generation = `{"generations":[[{"text":"Hello!","generation_info":{"finish_reason":"stop"},"type":"ChatGeneration","message":{"lc":1,"type":"constructor",` +
		`"id":["langchain","schema","messages","AIMessage"],"kwargs":{"content":"Hello!","additional_kwargs":{"refusal":null},"response_metadata":{"model_name":"gpt-4.1"},` +
		`"type":"ai","id":"run-1","tool_calls":[],"invalid_tool_calls":[]}}}]],"llm_output":{"model_name":"gpt-4.1"},"run":null,"type":"LLMResult"}`
	for _, c := range []struct {
		name, from string
		to         document.Format
		want       string
		dropped    []string
	}{
		{"chat completions to messages", chat, document.FormatMessages,
			`{"id":"chatcmpl-1","model":"gpt-4.1","role":"assistant","content":[{"type":"text","text":"Hello!","citations":[]}],"stop_reason":"end_turn"}`,
			[]string{"/extras/created", "/extras/object", "/extras/service_tier", "/extras/system_fingerprint", "/extras/usage", "/messages/0/extras/choice/logprobs"}},
		{"chat completions to responses", chat, document.FormatResponses,
			`{"id":"chatcmpl-1","model":"gpt-4.1","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Hello!","annotations":[]}]}]}`,
			[]string{"/extras/created", "/extras/object", "/extras/service_tier", "/extras/system_fingerprint", "/extras/usage", "/messages/0/extras/choice"}},
		{"messages to chat completions", message, document.FormatChatCompletions,
			`{"id":"msg_1","model":"claude-sonnet-4-5","choices":[{"message":{"role":"assistant","reasoning_content":"Greet.","content":"Hello!"}}]}`,
			[]string{"/extras/stop_reason", "/extras/type", "/extras/usage", "/messages/0/content/0/extras/signature"}},
		{"messages to responses", message, document.FormatResponses,
			`{"id":"msg_1","model":"claude-sonnet-4-5","output":[{"type":"reasoning","summary":[{"type":"summary_text","text":"Greet."}]},` +
				`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Hello!"}]}]}`,
			[]string{"/extras/stop_reason", "/extras/type", "/extras/usage", "/messages/0/content/0/extras/signature"}},
		{"responses to chat completions", response, document.FormatChatCompletions,
			`{"id":"resp_1","model":"gpt-5","choices":[{"message":{"role":"assistant","content":"Hello!","annotations":[]}}]}`,
			[]string{"/extras/created_at", "/extras/object", "/extras/parallel_tool_calls", "/extras/reasoning", "/extras/status", "/extras/text",
				"/extras/tools", "/extras/usage", "/messages/0/extras/id", "/messages/0", "/messages/1/extras/id", "/messages/1/extras/status"}},
		{"generations to chat completions", generation, document.FormatChatCompletions,
			`{"choices":[{"message":{"role":"assistant","content":"Hello!"}}]}`,
			[]string{"/extras/llm_output", "/extras/type", "/messages/0/extras/additional_kwargs", "/messages/0/extras/generation", "/messages/0/extras/id", "/messages/0/extras/response_metadata", "/messages/0/extras/type"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := normalized(t, []byte(c.from), document.Outputs)
			got, dropped, err := Build(d, c.to, false)
			assert.Must(t, err)
			assert.Same(t, "document", decoded(t, []byte(c.want)), decoded(t, got))
			assert.Same(t, "dropped", c.dropped, dropped)
		})
	}
}

// TestConvertAlternatives checks that several choices can't be converted to a conversation.
func TestConvertAlternatives(t *testing.T) {
	t.Parallel()
	const choices = `{"choices":[{"index":0,"message":{"role":"assistant","content":"a"}},{"index":1,"message":{"role":"assistant","content":"b"}}]}`
	const candidates = `{"generations":[[{"message":{"type":"ai","content":"a"}},{"message":{"type":"ai","content":"b"}}]]}`
	for _, doc := range []string{choices, candidates} {
		d := normalized(t, []byte(doc), document.Outputs)
		for _, to := range []document.Format{document.FormatMessages, document.FormatResponses} {
			built, _, err := Build(d, to, false)
			lost, is := errors.AsType[*document.LossError](err)
			if !is || len(lost.Losses) != 1 || lost.Losses[0].Pointer != "/messages/1" || !strings.Contains(err.Error(), "this is an alternative") {
				t.Errorf("%s: converted to %s, error = %v; want the loss of the alternative /messages/1", to, built, err)
			}
		}
		built, _, err := Build(d, document.FormatChatCompletions, false)
		assert.Must(t, err)
		var again *document.Document
		if again, err = Normalize(built, document.Outputs); err != nil || again.Shape != document.ShapeChoices || len(again.Messages) != 2 {
			t.Errorf("%s, %v; want two choices", built, err)
		}
	}
}

// TestReasoningSurvives converts reasoning to another format and back.
func TestReasoningSurvives(t *testing.T) {
	t.Parallel()
	const chat = `{"messages":[{"role":"user","content":"Hi"},{"role":"assistant","reasoning_content":"Greet.","content":"Hello!",` +
		`"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}]}`
	for _, via := range []document.Format{document.FormatMessages, document.FormatResponses, document.FormatNative} {
		d := normalized(t, []byte(chat), document.Inputs)
		there, dropped, err := Build(d, via, false)
		if err != nil || dropped != nil {
			t.Fatal(dropped, err)
		}
		if d, err = Normalize(there, document.Inputs); err != nil || d.Format != via {
			t.Fatalf("%s was read as format %s, %v; want %s", there, d.Format, err, via)
		}
		back, dropped, err := Build(d, document.FormatChatCompletions, false)
		if err != nil || dropped != nil {
			t.Fatal(dropped, err)
		}
		assert.Same(t, fmt.Sprintf("converted to %s and back, in between %s", via, there), decoded(t, []byte(chat)), decoded(t, back))
	}
}
