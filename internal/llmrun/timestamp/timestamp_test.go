package timestamp

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
)

func TestRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`"2026-11-21T00:09:15.597001Z"`:         "2026-11-21T00:09:15.597001Z",
		`"2026-11-21T00:09:15.597Z"`:            "2026-11-21T00:09:15.597000Z",
		`"2026-11-21T00:09:15Z"`:                "2026-11-21T00:09:15.000000Z",
		`"2026-11-21T00:09:15.597001+00:00"`:    "2026-11-21T00:09:15.597001Z",
		`"2026-11-21T02:09:15.597001+02:00"`:    "2026-11-21T00:09:15.597001Z",
		`"2026-11-21T02:09:15+0200"`:            "2026-11-21T00:09:15.000000Z",
		`"2026-11-21T00:09:15.597001"`:          "2026-11-21T00:09:15.597001Z",
		`"2026-11-21T00:09:15"`:                 "2026-11-21T00:09:15.000000Z",
		`"2026-11-21 00:09:15.597001"`:          "2026-11-21T00:09:15.597001Z",
		`"2026-11-21 00:09:15.597001+00:00"`:    "2026-11-21T00:09:15.597001Z",
		`"2026-11-21T00:09:15.597001999Z"`:      "2026-11-21T00:09:15.597001Z",
		`"1969-12-31T23:59:59.9999999Z"`:        "1969-12-31T23:59:59.999999Z",
		`1795219755`:                            "2026-11-21T00:09:15.000000Z", // Seconds.
		`1795219755.5970019`:                    "2026-11-21T00:09:15.597001Z",
		`1795219755597`:                         "2026-11-21T00:09:15.597000Z", // Milliseconds.
		`1795219755597.001`:                     "2026-11-21T00:09:15.597001Z",
		`1.795219755597e12`:                     "2026-11-21T00:09:15.597000Z",
		`20000000000`:                           "2603-10-11T11:33:20.000000Z", // The largest number read as seconds.
		`20000000001`:                           "1970-08-20T11:33:20.001000Z",
		`-20000000001`:                          "1969-05-14T12:26:39.999000Z",
		`0`:                                     "1970-01-01T00:00:00.000000Z",
		`-0.0000001`:                            "1969-12-31T23:59:59.999999Z",
		` "2026-11-21T00:09:15.597001Z" `:       "2026-11-21T00:09:15.597001Z",
		`"\u0032026-11-21T00:09:15.597001Z"`:    "2026-11-21T00:09:15.597001Z",
		`"2026-11-21T00:09:15,5Z"`:              "2026-11-21T00:09:15.500000Z",
		`"9999-12-31T23:59:59.999999Z"`:         "9999-12-31T23:59:59.999999Z",
		`"0001-01-01T00:00:00Z"`:                "0001-01-01T00:00:00.000000Z",
		`"2026-11-21T00:09:15.597001000000000"`: "2026-11-21T00:09:15.597001Z",
	} {
		got, err := Read(json.RawMessage(text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		assert.Same(t, fmt.Sprintf("Read(%s)", text), want, Format(got))
		if got.Location() != time.UTC {
			t.Errorf("Read(%s) is in %s, want UTC", text, got.Location())
		}
	}
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`""`: "not a time", `"now"`: "not a time", `"2026-11-21"`: "not a time", `"00:09:15"`: "not a time",
		`"1795219755"`: "not a time", `"2026-13-01T00:00:00Z"`: "not a time", `"2026-11-21T24:00:00Z"`: "not a time",
		`true`: "not a time", `{}`: "not a time", `[]`: "not a time", `null`: "not a time",
		`1e300`: "years 1 to 9999", `1e18`: "years 1 to 9999", `-1e15`: "years 1 to 9999", `1e9999`: "outside ±400",
		`"0000-12-31T00:00:00Z"`: "years 1 to 9999", `"9999-12-31T23:59:59-01:00"`: "years 1 to 9999",
	} {
		got, err := Read(json.RawMessage(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Read(%s) = %s, %v; want an error about %q", text, got, err, want)
		}
	}
}

func TestFormat(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 21, 1, 9, 15, 597_001_999, time.FixedZone("", 3600))
	if got, want := Format(at), "2026-11-21T00:09:15.597001Z"; got != want {
		t.Errorf("Format = %s, want %s", got, want)
	}
	if got, want := at.UTC().Format(NaiveLayout), "2026-11-21T00:09:15.597001"; got != want {
		t.Errorf("naive format = %s, want %s", got, want)
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{
		`"2026-11-21T00:09:15.597001Z"`, `"2026-11-21 00:09:15"`, `1795219755597`, `1795219755.5`, `-1e9`, `1e400`, `null`, `"`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if !json.Valid(data) {
			return
		}
		at, err := Read(data)
		if err != nil {
			return
		}
		again, err := Parse(Format(at))
		assert.Must(t, err)
		if !again.Equal(at) {
			t.Fatalf("%s was read as %s, and formatted and read again as %s", data, at, again)
		}
	})
}
