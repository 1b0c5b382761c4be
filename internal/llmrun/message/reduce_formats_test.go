package message

import (
	"encoding/json"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
)

// TestReduceRarePieces reduces chunks of the providers' formats that are rare in real streams: each must be used or kept.
func TestReduceRarePieces(t *testing.T) {
	t.Parallel()
	const (
		part = `{"candidates":[{"content":{"parts":[`
		end  = `],"role":"model"}}]}`
	)
	gemini := func(part string) string {
		return `{"candidates":[{"content":{"role":"model","parts":[` + part + `]}}]}`
	}
	partial := func(args string) string {
		return part + `{"functionCall":{"name":"f","partialArgs":[` + args + `],"willContinue":true}}` + end
	}
	checkReduced(t, []reducedCase{
		{"a signed text", document.FormatGemini, []string{
			part + `{"text":"a"}` + end, part + `{"text":"","thoughtSignature":"s"}` + end, part + `{"text":"b"}` + end,
		}, gemini(`{"text":"a","thoughtSignature":"s"},{"text":"b"}`)},
		{"arguments without a place", document.FormatGemini, []string{
			partial(`{"jsonPath":"$.a","stringValue":"x"},{"jsonPath":"$.a.b","stringValue":"y"},{"jsonPath":"$.a[0]","stringValue":"z"}`),
			partial(`{"jsonPath":"a","stringValue":"x"},{"jsonPath":"$","stringValue":"x"},{"jsonPath":"$..a","stringValue":"x"},{"jsonPath":"$[-1]"},{"jsonPath":"$['a"},7`),
			partial(`{"jsonPath":"$.a","numberValue":1},{"jsonPath":"$.o.p","boolValue":false},{"jsonPath":"$.o","stringValue":"x"},{"jsonPath":"$.a"}`),
		}, gemini(`{"functionCall":{"name":"f","args":{"a":"x","o":{"p":false}},"partialArgs":[{"jsonPath":"$.a.b","stringValue":"y"},{"jsonPath":"$.a[0]","stringValue":"z"},` +
			`{"jsonPath":"a","stringValue":"x"},{"jsonPath":"$","stringValue":"x"},{"jsonPath":"$..a","stringValue":"x"},{"jsonPath":"$[-1]"},{"jsonPath":"$['a"},7,` +
			`{"jsonPath":"$.a","numberValue":1},{"jsonPath":"$.o","stringValue":"x"}]}}`)},
		{"arguments in snake case", document.FormatGemini, []string{
			part + `{"function_call":{"name":"f","args":{"b":1},"partial_args":[{"json_path":"$[\"a\"][1]","string_value":"y"},{"json_path":"$[\"a\"][0]","string_value":"x"}],"will_continue":true}}` + end,
			part + `{"text":"a"}` + end,
		}, gemini(`{"function_call":{"name":"f","args":{"b":1,"a":["x","y"]}}},{"text":"a"}`)},
		{"parts and contents that are none", document.FormatGemini, []string{
			`{"candidates":[7]}`, `{"candidates":{}}`, `{"candidates":[{"content":{"parts":"a"}}]}`, `{"candidates":[{"content":{"parts":["b",null]},"logprobsResult":{"chosenCandidates":[1]}}]}`,
			`{"candidates":[{"content":"c","logprobsResult":{"chosenCandidates":[2]}}]}`,
		}, `{"candidates":[{"content":{"parts":["a","b",null,"c"]},"logprobsResult":{"chosenCandidates":[1,2]}}],"unreduced_chunks":[{"candidates":[7]},{"candidates":{}}]}`},
		{"a refused prompt", document.FormatGemini, []string{`{"promptFeedback":{"blockReason":"SAFETY"},"usageMetadata":{"promptTokenCount":1}}`},
			`{"promptFeedback":{"blockReason":"SAFETY"},"usageMetadata":{"promptTokenCount":1},"candidates":[]}`},
		{"blocks of the wrong type", document.FormatConverse, []string{
			`{"messageStart":7}`, `{"contentBlockDelta":{"delta":{"text":"a"}}}`, `{"contentBlockDelta":{"contentBlockIndex":0}}`, `{"contentBlockDelta":{"contentBlockIndex":0,"delta":{"text":7}}}`,
			`{"contentBlockStart":{"contentBlockIndex":1,"start":{"toolUse":{"toolUseId":"t","name":"f"}}}}`, `{"contentBlockStart":{"contentBlockIndex":1,"start":{"image":{"format":"png"}}}}`,
			`{"contentBlockDelta":{"contentBlockIndex":1,"delta":{"toolUse":{"input":{"a":1}}}}}`, `{"contentBlockDelta":{"contentBlockIndex":2,"delta":{"image":{"error":{"message":"no"}}}}}`,
			`{"contentBlockDelta":{"contentBlockIndex":3,"delta":{"reasoningContent":{"redactedContent":{"0":1}}}}}`, `{"contentBlockStart":{"contentBlockIndex":4,"start":{"later":{"a":1}}}}`,
			`{"contentBlockDelta":{"contentBlockIndex":5,"delta":{"toolUse":{"input":"{}"}}}}`,
		}, `{"output":{"message":{"role":"assistant","content":[{"toolUse":{"toolUseId":"t","name":"f","input":{"a":1}}},{"image":{"error":{"message":"no"}}},` +
			`{"reasoningContent":{"redactedContent":[{"0":1}]}},{"later":{"a":1}},{"toolUse":{"input":{}}}]}},` +
			`"unreduced_chunks":[{"messageStart":7},{"contentBlockDelta":{"delta":{"text":"a"}}},{"contentBlockDelta":{"contentBlockIndex":0}},` +
			`{"contentBlockDelta":{"contentBlockIndex":0,"delta":{"text":7}}},{"contentBlockStart":{"contentBlockIndex":1,"start":{"image":{"format":"png"}}}}]}`},
		{"texts without a start, an ID again", document.FormatAISDK, []string{
			`{"type":"text-delta","id":"0","delta":"a"}`, `{"type":"text-end","id":"0","providerMetadata":{"p":1}}`, `{"type":"text-start","id":"0"}`, `{"type":"text-delta","id":"0","delta":"b"}`,
			`{"type":"text-delta","id":"0"}`, `{"type":"tool-input-delta","id":"c"}`,
		}, `{"content":[{"type":"text","text":"a","providerMetadata":{"p":1}},{"type":"text","text":"b"}],"finishReason":"other",` +
			`"unreduced_chunks":[{"type":"text-delta","id":"0"},{"type":"tool-input-delta","id":"c"}]}`},
		{"texts between other content, in version 4", document.FormatAISDK, []string{
			`{"type":"text-delta","textDelta":"a"}`, `{"type":"reasoning-signature","signature":"s"}`, `{"type":"text-delta","textDelta":"b"}`, `{"type":"redacted-reasoning","data":"d"}`,
		}, `{"content":[{"type":"text","text":"a"},{"type":"reasoning","text":"","signature":"s"},{"type":"text","text":"b"},{"type":"redacted-reasoning","data":"d"}],"finishReason":"other"}`},
		{"tools of a user interface", document.FormatAISDK, []string{
			`{"type":"tool-input-error","toolCallId":"c","toolName":"f","input":{"a":1},"errorText":"bad"}`, `{"type":"tool-input-available","toolCallId":"d","toolName":"g","input":{}}`,
			`{"type":"tool-output-available","toolCallId":"d","output":1,"preliminary":true}`, `{"type":"tool-output-available","toolCallId":"d","output":2}`,
			`{"type":"tool-approval-request","approvalId":"p","toolCallId":"e"}`, `{"type":"tool-output-denied","toolCallId":"e"}`, `{"type":"data-weather","data":{"t":3}}`,
			`{"type":"source-document","sourceId":"s","mediaType":"text/plain","title":"T"}`, `{"type":"message-metadata","messageMetadata":{"m":1}}`, `{"type":"abort","reason":"stop"}`,
			`{"type":"error","errorText":"late"}`, `{"type":"later"}`,
		}, `{"content":[{"type":"tool-call","toolCallId":"c","toolName":"f","input":{"a":1}},{"type":"tool-error","toolCallId":"c","toolName":"f","input":{"a":1},"error":"bad"},` +
			`{"type":"tool-call","toolCallId":"d","toolName":"g","input":{}},{"type":"tool-result","toolCallId":"d","toolName":"g","output":2},` +
			`{"type":"tool-approval-request","approvalId":"p","toolCallId":"e"},{"type":"tool-output-denied","toolCallId":"e"},{"type":"data-weather","data":{"t":3}},` +
			`{"type":"source","sourceType":"document","id":"s","mediaType":"text/plain","title":"T"}],"finishReason":"other","metadata":{"m":1},` +
			`"error":{"type":"abort","reason":"stop"},"unreduced_chunks":[{"type":"error","errorText":"late"},{"type":"later"}]}`},
		{"an error at the end", document.FormatCohere, []string{
			`{"type":"content-delta","index":0,"delta":{"message":{"content":{"text":"a"}}}}`, `{"type":"content-delta","delta":{"message":{"content":{"text":"b"}}}}`,
			`{"type":"debug","prompt":"p"}`, `{"type":"message-end","delta":{"error":"failed","finish_reason":"ERROR"}}`,
		}, `{"message":{"role":"assistant","content":[{"text":"ab"}]},"finish_reason":"ERROR","error":"failed",` +
			`"unreduced_chunks":[{"type":"debug","prompt":"p"}]}`},
		{"a plan and searches, in version 1", document.FormatCohere, []string{
			`{"event_type":"search-queries-generation","search_queries":[{"text":"q"}]}`, `{"event_type":"search-results","documents":[{"id":"d"}]}`,
			`{"event_type":"tool-calls-chunk","tool_call_delta":{"text":"I "}}`, `{"event_type":"tool-calls-chunk","text":"look."}`,
			`{"event_type":"tool-calls-generation","text":"I look.","tool_calls":[{"name":"f","parameters":{}}]}`, `{"event_type":"later"}`, `{"event_type":"text-generation"}`,
		}, `{"search_queries":[{"text":"q"}],"documents":[{"id":"d"}],"text":"I look.","tool_calls":[{"name":"f","parameters":{}}],` +
			`"unreduced_chunks":[{"event_type":"later"},{"event_type":"text-generation"}]}`},
		{"events of a conversation", document.FormatChatCompletions, []string{
			`{"type":"message.output.delta","outputIndex":0,"content":"a"}`, `{"type":"message.output.delta","content":"b"}`,
			`{"event":"conversation.response.error","data":{"type":"conversation.response.error","message":"failed","code":500}}`,
		}, `{"object":"conversation.response","outputs":[{"object":"entry","type":"message.output","content":"a"}],"error":{"message":"failed","code":500},` +
			`"unreduced_chunks":[{"type":"message.output.delta","content":"b"}]}`},
		{"audio without an index", document.FormatResponses, []string{
			`{"type":"response.audio.transcript.delta","delta":"Hi"}`, `{"type":"response.audio.delta","delta":"YQ=="}`, `{"type":"response.audio.delta","delta":"Yg=="}`,
			`{"type":"response.audio.done"}`, `{"type":"response.audio.transcript.done"}`, `{"type":"response.image_generation_call.partial_image","output_index":1}`,
		}, `{"object":"response","output":[{"type":"message","role":"assistant","content":[{"type":"output_audio","transcript":"Hi","data":"YWI="}]}],` +
			`"unreduced_chunks":[{"type":"response.image_generation_call.partial_image","output_index":1}]}`},
		{"progress of a compaction, and of something unknown", document.FormatResponses, []string{
			`{"type":"response.output_item.added","output_index":0,"item":{"type":"compaction","id":"i","encrypted_content":""}}`,
			`{"type":"response.compaction.compacting","output_index":0,"item_id":"i"}`, `{"type":"response.later.completed","output_index":0,"item_id":"i"}`,
			`{"type":"response.output_item.done","output_index":0,"item":{"type":"compaction","id":"i","encrypted_content":"e"}}`,
		}, `{"object":"response","output":[{"type":"compaction","id":"i","encrypted_content":"e"}],` +
			`"unreduced_chunks":[{"type":"response.later.completed","output_index":0,"item_id":"i"}]}`},
		{"a text's probabilities and a call's name", document.FormatResponses, []string{
			`{"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"a","logprobs":[{"token":"a"}]}`,
			`{"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"b","logprobs":[{"token":"b"}]}`,
			`{"type":"response.function_call_arguments.done","output_index":1,"item_id":"i","call_id":"c","name":"f","arguments":"{}"}`,
		}, `{"object":"response","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"ab","logprobs":[{"token":"a"},{"token":"b"}]}]},` +
			`{"type":"function_call","id":"i","call_id":"c","name":"f","arguments":"{}"}]}`},
		{"events as records", document.FormatMessages, []string{
			`{"event":"content_block_delta","data":"{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"a\"}}"}`,
		}, `{"type":"message","role":"assistant","content":[{"type":"text","text":"a"}]}`},
		{"lines that are none", formatOllama, []string{`{"message":{"content":"a"},"done":false}`, `{"done":true}`, `{"message":"b","done":false}`},
			`{"message":{"content":"a"},"done":false,"unreduced_chunks":[{"done":true},{"message":"b","done":false}]}`},
	})
}

// TestReduceKnowsEveryEvent reduces an event of each type that the SDKs declare: none may be left over.
func TestReduceKnowsEveryEvent(t *testing.T) {
	t.Parallel()
	var unions []struct {
		Source string
		Format document.Format
		Types  []string
	}
	if err := json.Unmarshal(readFile(t, "testdata/stream_events.json"), &unions); err != nil || len(unions) == 0 {
		t.Fatal(unions, err)
	}
	const members = `"index":0,"output_index":0,"content_index":0,"summary_index":0,"item_id":"i","id":"i","toolCallId":"c","toolName":"f","item":{},"part":{},"response":{},` +
		`"content_block":{},"message":{},"annotation":{},"partial_image_b64":"YQ==","text":"a","refusal":"a","arguments":"{}","name":"f","input":"a","code":"a","transcript":"a",` +
		`"error":{"message":"m"},"errorText":"m","inputTextDelta":"a"`
	for _, union := range unions {
		for _, kind := range union.Types {
			delta := map[document.Format]string{document.FormatMessages: `{"type":"text_delta","text":"a"}`, document.FormatCohere: `{"message":{"tool_plan":"a"}}`}[union.Format]
			if delta == "" {
				delta = `"a"`
			}
			chunk := json.RawMessage(`{"type":"` + kind + `","delta":` + delta + `,` + members + `}`)
			if got, err := Reduce(union.Format, []json.RawMessage{chunk}); err != nil {
				t.Errorf("%s, %s: %v: %s", union.Source, kind, err, got)
			}
		}
	}
}
