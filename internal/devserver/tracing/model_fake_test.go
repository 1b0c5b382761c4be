package tracing_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// newFakeModel serves the parts of two providers' APIs that their packages need, with and without streaming, and with fixed usages.
func newFakeModel(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("POST /openai/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		complete(w, r, chatCompletion, chatCompletionChunks)
	})
	mux.HandleFunc("POST /anthropic/v1/messages", func(w http.ResponseWriter, r *http.Request) {
		complete(w, r, wholeMessage, messageEvents)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

func complete(w http.ResponseWriter, r *http.Request, whole string, chunks []string) {
	var request struct {
		Stream bool `json:"stream"`
	}
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if !request.Stream {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, whole)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, chunk := range chunks {
		var event struct {
			Type string `json:"type"`
		}
		if json.Unmarshal([]byte(chunk), &event) == nil && event.Type != "" {
			fmt.Fprintf(w, "event: %s\n", event.Type)
		}
		fmt.Fprintf(w, "data: %s\n\n", strings.ReplaceAll(chunk, "\n", " "))
	}
}

const chatCompletion = `{"id": "chatcmpl-1", "object": "chat.completion", "created": 1760000000, "model": "example-large-2026-01-01",
	"choices": [{"index": 0, "message": {"role": "assistant", "content": "Hello!", "refusal": null}, "logprobs": null, "finish_reason": "stop"}],
	"usage": {"prompt_tokens": 20, "completion_tokens": 10, "total_tokens": 30, "prompt_tokens_details": {"cached_tokens": 5}}}`

var chatCompletionChunks = []string{
	`{"id": "chatcmpl-2", "object": "chat.completion.chunk", "created": 1760000000, "model": "example-large-2026-01-01",
		"choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": null}]}`,
	`{"id": "chatcmpl-2", "object": "chat.completion.chunk", "created": 1760000000, "model": "example-large-2026-01-01",
		"choices": [{"index": 0, "delta": {"content": "Hello!"}, "finish_reason": null}]}`,
	`{"id": "chatcmpl-2", "object": "chat.completion.chunk", "created": 1760000000, "model": "example-large-2026-01-01",
		"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}`,
	`{"id": "chatcmpl-2", "object": "chat.completion.chunk", "created": 1760000000, "model": "example-large-2026-01-01",
		"choices": [], "usage": {"prompt_tokens": 20, "completion_tokens": 10, "total_tokens": 30, "prompt_tokens_details": {"cached_tokens": 5}}}`,
	`[DONE]`,
}

const wholeMessage = `{"id": "msg_1", "type": "message", "role": "assistant", "model": "example-large-2026-01-01",
	"content": [{"type": "text", "text": "Hello!"}], "stop_reason": "end_turn", "stop_sequence": null,
	"usage": {"input_tokens": 7, "cache_read_input_tokens": 30, "cache_creation_input_tokens": 120,
		"cache_creation": {"ephemeral_5m_input_tokens": 20, "ephemeral_1h_input_tokens": 100}, "output_tokens": 9}}`

var messageEvents = []string{
	`{"type": "message_start", "message": {"id": "msg_2", "type": "message", "role": "assistant", "model": "example-large-2026-01-01",
		"content": [], "stop_reason": null, "stop_sequence": null, "usage": {"input_tokens": 7, "cache_read_input_tokens": 30,
		"cache_creation_input_tokens": 120, "cache_creation": {"ephemeral_5m_input_tokens": 20, "ephemeral_1h_input_tokens": 100},
		"output_tokens": 1}}}`,
	`{"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}`,
	`{"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hello!"}}`,
	`{"type": "content_block_stop", "index": 0}`,
	`{"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": null}, "usage": {"output_tokens": 9}}`,
	`{"type": "message_stop"}`,
}
