package store

import (
	"strings"
	"testing"
)

func TestSays(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`{"a":[`, 100_000) + `"Bottom"` + strings.Repeat(`]}`, 100_000)
	long := `{"text":"` + strings.Repeat("x", foldPiece-3) + "NEEDLE" + strings.Repeat("x", foldPiece) + `"}`
	for _, tc := range []struct {
		document, text string
		want           bool
	}{
		{`{"question":"Where?"}`, "where?", true},
		{`{"question" : "Where?"}`, "question", false},
		{`{"a":"question","question":1}`, "question", true},
		{`["a\"b","c"]`, `a"b`, true},
		{`["\u0047r\u00fc\u00dfe"]`, "grüße", true},
		{`["a","b"]`, `a","b`, false},
		{`{"n":42.5,"sure":true,"none":null}`, "42.5", true},
		{`{"n":42.5,"sure":true,"none":null}`, "true", true},
		{`{"n":42.5}`, "5}", false},
		{`{}`, "", false},
		{`{"a":""}`, "", true},
		{deep, "bottom", true},
		{deep, "a", false},
		{long, "needle", true},
		{long, "needles", false},
	} {
		if got := says([]byte(tc.document), tc.text); got != tc.want {
			t.Errorf("%.40s says %q: %v", tc.document, tc.text, got)
		}
	}
}

// FuzzSays: whatever the document, it is read to its end.
func FuzzSays(f *testing.F) {
	for _, document := range []string{`{"a":"b"}`, `["\"`, `"`, `{"a`, `[1,`, `\`} {
		f.Add([]byte(document), "b")
	}
	f.Fuzz(func(_ *testing.T, document []byte, text string) { says(document, text) })
}
