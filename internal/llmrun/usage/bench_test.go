package usage

import "testing"

// BenchmarkFind reads the answers of the most common providers, as on ingest.
func BenchmarkFind(b *testing.B) {
	for _, answer := range []struct{ name, outputs string }{
		{"chat completion", `{"id":"chatcmpl-1","object":"chat.completion","created":1741569952,"model":"gpt-5","choices":[{"index":0,"message":` +
			`{"role":"assistant","content":"Hello!","refusal":null,"annotations":[]},"logprobs":null,"finish_reason":"stop"}],` +
			`"usage":{"prompt_tokens":2006,"completion_tokens":300,"total_tokens":2306,` +
			`"prompt_tokens_details":{"cached_tokens":1920,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":256,` +
			`"audio_tokens":0,"accepted_prediction_tokens":0,"rejected_prediction_tokens":0}},"service_tier":"default"}`},
		{"message", `{"id":"msg_1","type":"message","role":"assistant","model":"claude","content":[{"type":"text","text":"Hello!"}],` +
			`"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":12,"cache_creation_input_tokens":100,` +
			`"cache_read_input_tokens":2000,"cache_creation":{"ephemeral_5m_input_tokens":100,"ephemeral_1h_input_tokens":0},` +
			`"output_tokens":25,"service_tier":"standard"}}`},
		{"usage_metadata", `{"role":"assistant","content":"Hello!","usage_metadata":{"input_tokens":2006,"output_tokens":300,` +
			`"total_tokens":2306,"input_token_details":{"cache_read":1920},"output_token_details":{"reasoning":256}}}`},
	} {
		b.Run(answer.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if found := (Places{Outputs: []byte(answer.outputs)}).Find(); *found.Usage.TotalTokens < 2000 {
					b.Fatal(found)
				}
			}
		})
	}
}
