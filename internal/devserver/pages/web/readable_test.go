package web

import (
	"strings"
	"testing"
)

// TestReadable checks how JSON is printed for people.
func TestReadable(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 9000) + strings.Repeat("]", 9000)
	for raw, want := range map[string]string{
		`{"b":1.50,"a":[true,null],"b":{}}`: "{\n  \"b\": 1.50,\n  \"a\": [\n    true,\n    null\n  ],\n  \"b\": {}\n}",
		`[]`:                                `[]`,
		`"one\ntwo"`:                        "\"one\n  two\"",
		`{"a":"<b>\t\"x\"é"}`:               "{\n  \"a\": \"<b>\\t\\\"x\\\"é\"\n}",
		`{"a":"one\n  two\n"}`:              "{\n  \"a\": \"one\n      two\n    \"\n}",
		`{"arguments":"{\"n\":1,\"s\":\"x\\ny\"}"}`: "{\n  \"arguments\": {\n    \"n\": 1,\n    \"s\": \"x\n      y\"\n  }\n}",
		`{"once":"{\"twice\":\"[1]\"}"}`:            "{\n  \"once\": {\n    \"twice\": \"[1]\"\n  }\n}",
		`{"a":"{not JSON}","[1]":"3"}`:              "{\n  \"a\": \"{not JSON}\",\n  \"[1]\": \"3\"\n}",
		`{"a":`:                                     `{"a":`,
		deep:                                        deep,
	} {
		if got := readable([]byte(raw)); got != want {
			t.Errorf("readable(%.80s) = %.200s, want %.200s", raw, got, want)
		}
	}
}

// TestReadableIsBounded checks that JSON in a string doesn't grow without limits.
func TestReadableIsBounded(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 4000) + strings.Repeat("1,", 60_000) + "1" + strings.Repeat("]", 4000)
	if got := len(readable([]byte(`{"a":"` + deep + `"}`))); got > 2*(maxReadable+maxIndentation) {
		t.Errorf("%d bytes, want at most %d", got, 2*(maxReadable+maxIndentation))
	}
}

// TestJSONInText checks that a text that is JSON is shown like that, and that other texts are Markdown.
func TestJSONInText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{`{"a":"x\ny"}`: "{\n  \"a\": \"x\n    y\"\n}", "[link](https://example.com)": "", "{a}": "", "12": ""} {
		if got := newMarkdown(" "+text+"\n", &room{1 << 20}); got.JSON != want || (want == "") != (got.HTML != "") {
			t.Errorf("JSON of %q = %q with HTML %q, want %q", text, got.JSON, got.HTML, want)
		}
	}
}

// TestHostileMarkdown checks that no text of the largest size that is rendered grows a lot.
func TestHostileMarkdown(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{"[", "![", "> ", "*a ", "`", "|", "|a\n|-\n", "- ", "<", "a_", "[a](", "***", "~~", "(https://a.b/", "\\", "1. "} {
		text := strings.Repeat(unit, maxMarkdown/len(unit))
		got := newMarkdown(text, &room{sideRoom})
		if len(got.HTML) > 2*sideRoom {
			t.Errorf("HTML of %d times %q has %d bytes, want at most %d", maxMarkdown/len(unit), unit, len(got.HTML), 2*sideRoom)
		}
	}
}
