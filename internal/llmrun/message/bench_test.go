package message

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
)

// conversation returns a chat-completions request with a number of rounds of a question, a call, its result and an answer,
// about 1.25 KB each.
func conversation(rounds int) []byte {
	var b strings.Builder
	b.WriteString(`{"model":"gpt-4o-mini","temperature":0.2,"messages":[{"role":"system","content":"Be brief."}`)
	for i := range rounds {
		text := strings.Repeat("The quick brown fox. ", 14)
		fmt.Fprintf(&b, `,{"role":"user","content":"%s"}`, text)
		fmt.Fprintf(&b, `,{"role":"assistant","content":null,"tool_calls":[{"id":"call_%d","type":"function","function":`+
			`{"name":"look_up","arguments":"{\"query\":\"fox %d\",\"limit\":10}"}}]}`, i, i)
		fmt.Fprintf(&b, `,{"role":"tool","tool_call_id":"call_%d","content":"%s"}`, i, text)
		fmt.Fprintf(&b, `,{"role":"assistant","content":[{"type":"text","text":"%s"}]}`, text)
	}
	b.WriteString(`]}`)
	return []byte(b.String())
}

const rounds50KB = 40

// BenchmarkNormalize compares normalizing 50 KB with decoding the same bytes
// into an any. It reports the ratios.
func BenchmarkNormalize(b *testing.B) {
	data := conversation(rounds50KB)
	if len(data) < 45<<10 || len(data) > 55<<10 {
		b.Fatalf("the conversation has %d bytes, want 45 to 55 KiB", len(data))
	}
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	normalize := measure(b, b.N, normalizing(data))
	b.StopTimer()
	decode := measure(b, b.N, decoding(data))
	b.ReportMetric(float64(normalize.bytes)/float64(decode.bytes), "bytes/decode")
	b.ReportMetric(float64(normalize.duration)/float64(decode.duration), "time/decode")
}

type effort struct {
	bytes    uint64
	duration time.Duration
}

func measure(tb testing.TB, n int, run func() error) effort {
	tb.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	for range n {
		if err := run(); err != nil {
			tb.Fatal(err)
		}
	}
	duration := time.Since(start)
	runtime.ReadMemStats(&after)
	return effort{bytes: after.TotalAlloc - before.TotalAlloc, duration: duration}
}

func normalizing(data []byte) func() error {
	return func() error {
		_, err := Normalize(data, document.Inputs)
		return err
	}
}

func decoding(data []byte) func() error {
	return func() error {
		var v any
		return json.Unmarshal(data, &v)
	}
}

// TestNormalizeMemory checks that normalizing a conversation of 50 KB takes at most three times the memory of decoding it into an any.
func TestNormalizeMemory(t *testing.T) {
	text := strings.Repeat("The quick brown fox. ", 14)
	rounds := func(head, round string) []byte {
		return []byte(head + strings.TrimSuffix(strings.Repeat(strings.ReplaceAll(round, "TEXT", text), rounds50KB), ",") + `]}`)
	}
	for format, data := range map[document.Format][]byte{
		document.FormatChatCompletions: conversation(rounds50KB),
		document.FormatMessages: rounds(`{"system":"Be brief.","messages":[`, `{"role":"user","content":"TEXT"},{"role":"assistant","content":[{"type":"text","text":"TEXT"},`+
			`{"type":"tool_use","id":"t","name":"look_up","input":{"query":"fox","limit":10}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"TEXT"}]},`),
		document.FormatResponses: rounds(`{"model":"m","input":[`, `{"role":"user","content":"TEXT"},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"TEXT"}]},`+
			`{"type":"function_call","call_id":"t","name":"look_up","arguments":"{\"query\":\"fox\"}"},{"type":"function_call_output","call_id":"t","output":"TEXT"},`),
	} {
		if d, err := Normalize(data, document.Inputs); err != nil || d.Format != format {
			t.Fatalf("%s was read as format %s, %v", format, d.Format, err)
		}
		const runs = 10
		normalize, decode := measure(t, runs, normalizing(data)), measure(t, runs, decoding(data))
		if normalize.bytes > 3*decode.bytes {
			t.Errorf("%s: normalizing takes %d bytes, decoding %d; want at most three times as many", format, normalize.bytes/runs, decode.bytes/runs)
		}
	}
}
