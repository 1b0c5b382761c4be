package api_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

func TestTooDeep(t *testing.T) {
	t.Parallel()
	lists := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for name, test := range map[string]struct {
		body string
		want bool
	}{
		"nothing":               {"", false},
		"flat, but long":        {"[" + strings.Repeat("{},", 5000) + "{}]", false},
		"as deep as can be":     {lists(api.MaxDepth), false},
		"one level too deep":    {lists(api.MaxDepth + 1), true},
		"objects":               {strings.Repeat(`{"a":`, api.MaxDepth+1) + "1" + strings.Repeat("}", api.MaxDepth+1), true},
		"brackets in a text":    {`{"a": "` + strings.Repeat("[", 2000) + `"}`, false},
		"an escaped quote":      {`{"a": "\"` + strings.Repeat("[", 2000) + `"}`, false},
		"an escaped backslash":  {`["\\",` + lists(api.MaxDepth) + "]", true},
		"never closed":          {strings.Repeat("[", 10_000_000), true},
		"text that never ended": {`["` + strings.Repeat("[", 2000), false},
	} {
		if got := api.TooDeep([]byte(test.body)); got != test.want {
			t.Errorf("%s: TooDeep = %t, want %t", name, got, test.want)
		}
	}
}

// TestBodyOfAnyDepth checks that a body nested too deeply isn't translated: unlimited nesting would exhaust the stack.
func TestBodyOfAnyDepth(t *testing.T) {
	t.Parallel()
	for _, open := range []string{"[", `{"resources":[`, `{"a":`} {
		body := []byte(strings.Repeat(open, 10_000_000/len(open)))
		if got := api.LangSmith.Body(body); !bytes.Equal(got, body) {
			t.Errorf("%s: Body changed a body of %d bytes into one of %d, want it unchanged", open, len(body), len(got))
		}
	}
}
