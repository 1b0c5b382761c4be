package form

import (
	"fmt"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
)

func TestDateTime(t *testing.T) {
	t.Parallel()
	east := time.FixedZone("east", 2*60*60)
	for want, at := range map[string]time.Time{
		"2026-05-02T10:00:00.000000Z": time.Date(2026, 5, 2, 12, 0, 0, 0, east),
		"2026-05-02T10:00:00.000001Z": time.Date(2026, 5, 2, 10, 0, 0, 1999, time.UTC),
	} {
		assert.Same(t, fmt.Sprintf("DateTime(%s)", at), want, DateTime(at))
	}
}
