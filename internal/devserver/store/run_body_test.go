package store

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestBodies: a body is read as it was said, whatever it is, and takes less than it says where there is something to win.
func TestBodies(t *testing.T) {
	t.Parallel()
	random := make([]byte, 100_000)
	for i := range random {
		random[i] = byte(rand.Uint32()) //nolint:gosec // Not a secret.
	}
	small := `{"inputs":{"messages":[{"content":"Hi.","role":"user"}]},"run_type":"llm","start_time":"2026-05-02T10:00:00Z"}`
	for name, tc := range map[string]struct {
		body string
		most int // Bytes that are stored.
	}{
		"none":      {"", 0},
		"short":     {`{"inputs":{}}`, 13},
		"a call":    {small, len(small) / 2},
		"much":      {`{"text":"` + strings.Repeat("All work and no play. ", 100_000) + `"}`, 200_000},
		"random":    {"{" + hex.EncodeToString(random) + "}", 2*len(random) + 2},
		"no JSON":   {string(random), len(random)},
		"very long": {strings.Repeat(" ", maxPacked+1), maxPacked + 1},
	} {
		stored := packed([]byte(tc.body))
		got, err := unpacked(stored)
		if err != nil || string(got) != tc.body {
			t.Errorf("%s: %.100q, %v", name, got, err)
		}
		if len(stored) > tc.most {
			t.Errorf("%s: %d bytes are stored, want at most %d", name, len(stored), tc.most)
		}
	}
	if _, err := unpacked([]byte{bodyDictionaryNumber, 0xff, 0xff}); err == nil {
		t.Error("what nothing can read is read")
	}
}

// TestStoredBodies: what earlier versions have written can be read. A change of the dictionary breaks it: it needs another number.
func TestStoredBodies(t *testing.T) {
	t.Parallel()
	for stored, want := range map[string]string{
		hex.EncodeToString([]byte(`{"name":"plain"}`)): `{"name":"plain"}`,
		"01aa01007b66ff012ed201306578616d706c652d6c6172676542c8010d1e002292b4011457686572653f397a42ba010863616c2107150007007d": `{"extra":` +
			`{"metadata":{"ls_model_name":"example-large","ls_provider":"example"}},"inputs":{"messages":[{"content":"Where?","role":"user"}]},` +
			`"name":"call","run_type":"llm"}`,
	} {
		data, err := hex.DecodeString(stored)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := unpacked(data); err != nil || string(got) != want {
			t.Errorf("%s is read as %q: %v", stored, got, err)
		}
	}
}

func TestSaid(t *testing.T) {
	t.Parallel()
	nested := func(depth int) string { return strings.Repeat("[", depth) + `"]"` + strings.Repeat("]", depth) }
	body := fmt.Sprintf(`{"name":"a","inputs":{"b":[1,"{"]},"deep":%s,"deeper":%s,"last":"\ud800"}`, nested(maxJSONDepth), nested(maxJSONDepth+1))
	for name, want := range map[string]any{
		"name": `"a"`, "inputs": `{"b":[1,"{"]}`, "b": nil, "": nil, "deep": nested(maxJSONDepth), "deeper": nil, "last": `"\ud800"`,
	} {
		if got, err := said([]byte(body), name); err != nil || got != want {
			t.Errorf("%q: %.50v, %v", name, got, err)
		}
	}
	for _, wrong := range []string{"", "{", `{"a":`} {
		if got, err := said([]byte(wrong), "a"); err == nil {
			t.Errorf("%q says %v", wrong, got)
		}
	}
	if got, err := said([]byte("[]"), "a"); err != nil || got != nil {
		t.Errorf("a list says %v: %v", got, err)
	}
}

// TestNesting: what stands side by side is no deeper than one of them, and brackets in texts are none.
func TestNesting(t *testing.T) {
	t.Parallel()
	for document, want := range map[string]int{`1`: 0, `[]`: 1, `[{},[],{"a":[]}]`: 3, `[[],[],[],[]]`: 2, `["[[[","\"[["]`: 1} {
		if got := nesting([]byte(document)); got != want {
			t.Errorf("%s is nested %d deep, want %d", document, got, want)
		}
	}
}
