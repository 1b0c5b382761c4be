package api_test

import (
	"encoding/json"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

func TestLogTimestamp(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]api.LogTimestamp{
		`"2026-05-02T10:00:00.5Z"`: "2026-05-02T10:00:00.5Z",
		`"yesterday"`:              "yesterday", // Unknown formats are kept as they are.
		`1777716000500`:            "2026-05-02T10:00:00.5Z",
		`1.7777160005e12`:          "2026-05-02T10:00:00.5Z",
		`0`:                        "1970-01-01T00:00:00Z",
		`null`:                     "",
	} {
		got := api.LogTimestamp("before")
		if err := json.Unmarshal([]byte(body), &got); err != nil || got != want {
			t.Errorf("%s decodes to %q, %v; want %q", body, got, err, want)
		}
	}
	for _, body := range []string{`{}`, `[1]`, `true`} {
		var got api.LogTimestamp
		if err := json.Unmarshal([]byte(body), &got); err == nil {
			t.Errorf("%s decodes to %q, want an error", body, got)
		}
	}
}
