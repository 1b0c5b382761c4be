package run

import (
	"strings"
	"testing"
	"time"
)

// TestReadStream takes durations and times of any form, and names the entry that is wrong.
func TestReadStream(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 1, 1, 10, 0, 0, 0, time.UTC)
	entry := func(at, text string) string {
		return `{"time":` + at + `,"chunk":{"choices":[{"index":0,"delta":{"content":"` + text + `"}}]}}`
	}
	for name, test := range map[string]struct {
		text        string
		start       *time.Time
		first, last time.Duration
		err         string
	}{
		"durations":        {`[` + entry(`"250ms"`, "a") + `,` + entry(`"1.5s"`, "b") + `]`, nil, 250 * time.Millisecond, 1500 * time.Millisecond, ""},
		"times":            {`[` + entry(`"2026-01-01T11:00:00.25+01:00"`, "a") + `,` + entry(`1767261601500`, "b") + `]`, &start, 250 * time.Millisecond, 1500 * time.Millisecond, ""},
		"both":             {`[` + entry(`"1s"`, "a") + `,` + entry(`"2026-01-01T10:00:02Z"`, "b") + `]`, &start, time.Second, 2 * time.Second, ""},
		"at once":          {`[` + entry(`"0s"`, "a") + `,` + entry(`"0s"`, "b") + `]`, nil, 0, 0, ""},
		"no list":          {`{}`, nil, 0, 0, "write it as a list"},
		"empty":            {`[]`, nil, 0, 0, "none of the 0 chunks has a known stream format: [chat_completions messages "},
		"no start":         {`[` + entry(`"2026-01-01T10:00:02Z"`, "a") + `]`, nil, 0, 0, "entry 0: its time is not a duration since the start of the run"},
		"no time":          {`[` + entry(`"1s"`, "a") + `,{"chunk":{}}]`, nil, 0, 0, "entry 1: it has no time"},
		"null for a time":  {`[` + entry(`null`, "a") + `]`, &start, 0, 0, "entry 0: null is not a time"},
		"a word":           {`[` + entry(`"soon"`, "a") + `]`, &start, 0, 0, `entry 0: "soon" is not a time`},
		"no chunk":         {`[{"time":"1s"}]`, nil, 0, 0, "entry 0 has no chunk"},
		"before the start": {`[` + entry(`"-1s"`, "a") + `]`, nil, 0, 0, "entry 0 arrived after -1s"},
		"wrong order":      {`[` + entry(`"2s"`, "a") + `,` + entry(`"1s"`, "b") + `]`, nil, 0, 0, "entry 1 arrived after 1s"},
		"another format":   {`[{"time":"1s","chunk":{"text":"a"}}]`, nil, 0, 0, "none of the 1 chunks has a known stream format: [chat_completions messages "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := readStream(test.text, test.start)
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Errorf("error %v, want %q", err, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got.first != test.first || got.last != test.last || !strings.Contains(string(got.outputs), `"content":"ab"`) {
				t.Errorf("first %s, last %s, outputs %s", got.first, got.last, got.outputs)
			}
		})
	}
}
