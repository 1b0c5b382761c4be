package usage

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
)

// TestEncodeDetails encodes counts as numbers, and costs as strings.
func TestEncodeDetails(t *testing.T) {
	t.Parallel()
	u, _ := Read([]byte(`{"input_token_details":{"b":2,"a":0.50}}`))
	if out, err := json.Marshal(u.Input.Details); err != nil || string(out) != `{"a":0.5,"b":2}` {
		t.Errorf("encoded details = %s, %v; want numbers", out, err)
	}
	if out, err := json.Marshal(Costs{"a": dec(t, "1e-7")}); err != nil || string(out) != `{"a":"0.0000001"}` {
		t.Errorf("encoded costs = %s, %v; want strings", out, err)
	}
}

func TestTokens(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][3]int64{
		`{}`: {}, `{"input_tokens":1}`: {1, 0, 1}, `{"output_tokens":2}`: {0, 2, 2}, `{"input_tokens":1,"output_tokens":2}`: {1, 2, 3},
		`{"input_tokens":1,"output_tokens":2,"total_tokens":9}`: {1, 2, 9}, `{"total_tokens":9}`: {0, 0, 9},
		`{"input_tokens":9223372036854775807,"output_tokens":1}`: {math.MaxInt64, 1, math.MaxInt64},
		`{"input_tokens":9223372036854775808}`:                   {},
	} {
		u, _ := Read([]byte(text))
		input, output, total := u.Tokens()
		assert.Same(t, fmt.Sprintf("%s: Tokens", text), want, [3]int64{input, output, total})
	}
}

func TestSumUsage(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		calls []string
		want  string
	}{
		"one call": {[]string{`{"input_tokens":1,"total_cost":2}`}, `{"input_tokens":1,"total_cost":2}`},
		"tokens":   {[]string{`{"input_tokens":1}`, `{"output_tokens":2}`}, `{"input_tokens":1,"output_tokens":2,"total_tokens":3}`},
		"details": {[]string{`{"input_token_details":{"a":1}}`, `{"input_token_details":{"a":2,"b":3}}`, `{"output_token_details":{"c":1}}`},
			`{"input_token_details":{"a":3,"b":3},"output_token_details":{"c":1}}`},
		"costs": {[]string{`{"input_tokens":1,"input_cost":0.1}`, `{"input_tokens":2,"input_cost":0.2}`},
			`{"input_tokens":3,"total_tokens":3,"input_cost":0.3,"total_cost":0.3}`},
		"a cost of one call only": {[]string{`{"input_tokens":1,"input_cost":0.1,"input_cost_details":{"a":0.1}}`, `{"input_tokens":2}`},
			`{"input_tokens":3,"total_tokens":3}`},
		"a cost, and a call without tokens": {[]string{`{"input_tokens":1,"input_cost":0.1}`, `{"output_cost":0.2}`},
			`{"input_tokens":1,"total_tokens":1,"input_cost":0.1,"output_cost":0.2,"total_cost":0.3}`},
		"one side known": {[]string{`{"input_tokens":1,"output_tokens":1,"input_cost":1}`, `{"input_tokens":1,"output_tokens":1,"input_cost":1,"output_cost":2}`},
			`{"input_tokens":2,"output_tokens":2,"total_tokens":4,"input_cost":2}`},
		"totals": {[]string{`{"total_cost":1}`, `{"total_cost":0.5}`}, `{"total_cost":1.5}`},
	} {
		var calls []Usage
		for _, text := range tc.calls {
			u, problems := Read([]byte(text))
			if problems != nil {
				t.Fatal(problems)
			}
			calls = append(calls, u)
		}
		for range calls {
			want, problems := Read([]byte(tc.want))
			if diff := cmp.Diff(want, sumUsage(calls)); diff != "" || problems != nil {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
			calls = append(calls[1:], calls[0]) // In any order.
		}
	}
}

// FuzzRead reads arbitrary objects as usage: no figure may be negative.
func FuzzRead(f *testing.F) {
	for _, text := range []string{
		"null", "{}", "[]", `{"input_tokens":1,"output_tokens":2,"total_tokens":3}`, `{"input_tokens":"12.0","output_tokens":-1}`,
		`{"total_tokens":1e400,"total_cost":1e-400}`, `{"input_token_details":{"cache_read":9223372036854775807,"audio":null}}`,
		`{"input_tokens":9223372036854775807,"output_tokens":9223372036854775807}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if !json.Valid(text) {
			return
		}
		read, _ := Read(text)
		input, output, total := read.Tokens()
		if input < 0 || output < 0 || total < 0 {
			t.Errorf("tokens of %s = %d, %d, %d; want none negative", text, input, output, total)
		}
	})
}
