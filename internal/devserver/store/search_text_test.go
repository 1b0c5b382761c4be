package store

import (
	"strings"
	"testing"
)

func TestSays(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`{"a":[`, 100_000) + `"Bottom"` + strings.Repeat(`]}`, 100_000)
	long := `{"text":"` + strings.Repeat("x", checkBytes-3) + "NEEDLE" + strings.Repeat("x", checkBytes) + `"}`
	split := `["` + strings.Repeat("x", 100) + strings.Repeat("y", 2*checkBytes) + `GR\u00fc\u00DFe\tan alle"]`
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
		{`[1,2]`, "2]", false},
		{`["A TO Z"]`, "z", true},
		{`{}`, "", false},
		{`{"a":""}`, "", true},
		{deep, "bottom", true},
		{deep, "a", false},
		{long, "needle", true},
		{long, "needles", false},
		{split, "grüße\tan alle", true},
		{split, "x" + strings.Repeat("y", 2*checkBytes) + "g", true},
		{`["\ud83d\ude00 \ud83d \/"]`, "😀 \ufffd /", true},
	} {
		if got, err := says(t.Context(), []string{tc.text}, true, []byte(tc.document)); got != tc.want || err != nil {
			t.Errorf("says(%q) of %.40s = %v, %v; want %v", tc.text, tc.document, got, err, tc.want)
		}
	}
}

// TestSaysTexts searches several documents for any or all of several texts.
func TestSaysTexts(t *testing.T) {
	t.Parallel()
	post, patch := []byte(`{"inputs":{"q":"Where is Berlin?"}}`), []byte(`{"outputs":["In Germany.",7]}`)
	for _, tc := range []struct {
		texts    []string
		any, all bool
	}{
		{[]string{"berlin", "germany"}, true, true},
		{[]string{"BERLIN", "7", "where"}, true, true},
		{[]string{"paris", "germany"}, true, false},
		{[]string{"paris", "rome"}, false, false},
		{[]string{"inputs"}, false, false},
	} {
		if got, err := says(t.Context(), tc.texts, false, post, patch); got != tc.any || err != nil {
			t.Errorf("any of %q: says = %v, %v; want %v", tc.texts, got, err, tc.any)
		}
		if got, err := says(t.Context(), tc.texts, true, post, patch); got != tc.all || err != nil {
			t.Errorf("all of %q: says = %v, %v; want %v", tc.texts, got, err, tc.all)
		}
	}
}

// FuzzSays searches arbitrary documents; it must not panic or hang.
func FuzzSays(f *testing.F) {
	for _, document := range []string{`{"a":"b"}`, `["\"`, `"`, `{"a`, `[1,`, `\`} {
		f.Add([]byte(document), "b")
	}
	f.Fuzz(func(t *testing.T, document []byte, text string) {
		if _, err := says(t.Context(), []string{text, "a"}, true, document); err != nil {
			t.Error(err)
		}
	})
}
