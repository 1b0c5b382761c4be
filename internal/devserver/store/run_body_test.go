package store

import (
	"encoding/hex"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestBodies checks that any body is read as it was stored, and is compressed if that saves space.
func TestBodies(t *testing.T) {
	t.Parallel()
	random := make([]byte, 100_000)
	for i := range random {
		random[i] = byte(rand.Uint32()) //nolint:gosec // Not a secret.
	}
	random[0] = '{' // Bodies begin as JSON does: one in 256 texts would begin with bodyDictionaryNumber.
	small := `{"inputs":{"messages":[{"content":"Hi.","role":"user"}]},"run_type":"llm","start_time":"2026-05-02T10:00:00Z"}`
	for name, tc := range map[string]struct {
		body string
		most int // The largest number of stored bytes.
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
			t.Errorf("%s: read %.100q, %v; want the stored body", name, got, err)
		}
		if len(stored) > tc.most {
			t.Errorf("%s: %d bytes are stored, want at most %d", name, len(stored), tc.most)
		}
	}
	if _, err := unpacked([]byte{bodyDictionaryNumber, 0xff, 0xff}); err == nil {
		t.Error("unpacking invalid data: error = nil, want one")
	}
}

// TestStoredBodies checks that bodies stored by earlier versions can be read. A changed dictionary needs a new number.
func TestStoredBodies(t *testing.T) {
	t.Parallel()
	for stored, want := range map[string]string{
		hex.EncodeToString([]byte(`{"name":"plain"}`)): `{"name":"plain"}`,
		"01aa01007b66ff012ed201306578616d706c652d6c6172676542c8010d1e002292b4011457686572653f397a42ba010863616c2107150007007d": `{"extra":` +
			`{"metadata":{"ls_model_name":"example-large","ls_provider":"example"}},"inputs":{"messages":[{"content":"Where?","role":"user"}]},` +
			`"name":"call","run_type":"llm"}`,
	} {
		data, err := hex.DecodeString(stored)
		must(t, err)
		if got, err := unpacked(data); err != nil || string(got) != want {
			t.Errorf("unpacked(%s) = %q, %v; want %q", stored, got, err, want)
		}
	}
}
