package llmrun

import (
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
)

func TestParseID(t *testing.T) {
	t.Parallel()
	const want = "01a1fb6f-924d-7000-8000-00d1858fd5af"
	for _, s := range []string{want, "01a1fb6f924d7000800000d1858fd5af", strings.ToUpper(want)} {
		id, err := ParseID(s)
		assert.Must(t, err)
		if id.String() != want {
			t.Errorf("ParseID(%s) = %s, want %s", s, id, want)
		}
	}
}

func TestParseIDRefuses(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"", "run", "{01a1fb6f-924d-7000-8000-00d1858fd5af}", "urn:uuid:01a1fb6f-924d-7000-8000-00d1858fd5af",
		"01a1fb6f-924d-7000-8000-00d1858fd5a", "01a1fb6f-924d-7000-8000-00d1858fd5ag", "01a1fb6f924d7000800000d1858fd5ag",
		"01a1fb6f-924d-7000-8000-00d1858fd5af ",
	} {
		if id, err := ParseID(s); err == nil {
			t.Errorf("ParseID(%q) = %s, want an error", s, id)
		} else if !strings.Contains(err.Error(), "32 hexadecimal digits") {
			t.Errorf("ParseID(%q): error %q doesn't contain the expected form", s, err)
		}
	}
}
