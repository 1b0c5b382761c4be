package message

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
)

// swollen has documents with n parts that are all invalid, or expensive, in the same way.
var swollen = map[string]func(n int) string{
	"answers to unknown calls": func(n int) string {
		calls := numbered(n, `{"role":"assistant","content":[{"type":"tool_call","id":"call%d","name":"f","args":{}}]}`)
		return `{"messages":[` + calls + `,` + numbered(n, `{"role":"tool","tool_call_id":"other%d","content":[]}`) + `]}`
	},
	"calls of one message": func(n int) string {
		return `{"messages":[{"role":"assistant","content":null,"tool_calls":[` + numbered(n, `{"id":"c%d","type":"function","function":{"name":"f","arguments":"{}"}}`) + `]}]}`
	},
	"calls said twice": func(n int) string {
		return `{"messages":[{"type":"ai","content":[` + numbered(n, `{"type":"tool_use","id":"c%d","name":"f","input":{}}`) + `],"tool_calls":[` +
			numbered(n, `{"id":"c%d","name":"f","args":{}}`) + `]}]}`
	},
	"results between texts": func(n int) string {
		return `{"messages":[{"role":"user","content":[` + numbered(n, `{"type":"tool_result","tool_use_id":"t%[1]d","content":"a"},{"type":"text","text":"b%[1]d"}`) + `]}]}`
	},
	"extras": func(n int) string {
		return `{"messages":[{"role":"user","content":[{"type":"text","text":"a"}]}],"extras":{` + numbered(n, `"key%d":1`) + `}}`
	},
	"tools": func(n int) string {
		return `{"model":"m","messages":[{"role":"user","content":"a"}],"tools":[` + numbered(n, `{"type":"function","function":{"name":"f%d","parameters":{},"x":1}}`) + `]}`
	},
	"blocks that no other format has": func(n int) string {
		return `{"messages":[{"role":"user","content":[` + numbered(n, `{"type":"hologram","n":%d}`) + `]}]}`
	},
	"choices": func(n int) string {
		return `{"choices":[` + numbered(n, `{"index":%d,"message":{"role":"assistant","content":"a"}}`) + `]}`
	},
	"items": func(n int) string {
		return `{"model":"m","input":[` + numbered(n, `{"type":"function_call","call_id":"c%[1]d","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"c%[1]d","output":"a"}`) + `]}`
	},
}

func numbered(n int, format string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = fmt.Sprintf(format, i)
	}
	return strings.Join(parts, ",")
}

// TestLinear reads, validates and converts documents of one size and of eight times that size: the allocations must grow
// linearly, and the sizes of problems and errors are limited. It isn't parallel, because it counts the allocations of the whole
// process.
func TestLinear(t *testing.T) {
	for name, write := range swollen {
		t.Run(name, func(t *testing.T) {
			side := document.Inputs
			if name == "choices" {
				side = document.Outputs
			}
			work := func(n int) uint64 {
				data := []byte(write(n))
				return allocated(t, func() error {
					d, err := Normalize(data, side)
					if err != nil || d.Format == document.FormatUnrecognized {
						t.Fatalf("format = %s, %v; want a recognized one", d.Format, err)
					}
					problems, err := Validate(data, side)
					if length := len(fmt.Sprint(problems)); err != nil || length > 100_000 {
						t.Fatalf("problems of %d bytes, want at most 100000: %v", length, err)
					}
					for _, to := range []document.Format{document.FormatNative, document.FormatChatCompletions, document.FormatMessages, document.FormatResponses} {
						_, _, err := Build(d, to, false)
						if lost, is := errors.AsType[*document.LossError](err); is && len(lost.Error()) > 100_000 {
							t.Fatalf("error of %d bytes, want at most 100000", len(lost.Error()))
						}
						if _, _, err := Build(d, to, true); err != nil {
							t.Fatal(err)
						}
						if _, err := ValidateAs(data, side, to); err != nil {
							t.Fatal(err)
						}
					}
					return nil
				})
			}
			one, eight := work(150), work(1200)
			if eight > 10*one {
				t.Errorf("eight times the document takes %d bytes, want at most ten times those of one, %d", eight, one)
			}
		})
	}
}

// allocated returns the bytes that some work allocates in all.
func allocated(t *testing.T, work func() error) uint64 {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	assert.Must(t, work())
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
