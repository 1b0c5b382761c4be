package tracing

import (
	"os"
	"regexp"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
)

// TestElsewhere checks that the guide names each part of the API that doesn't exist here.
func TestElsewhere(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../../../templates/guides/send-traces.md")
	assert.Must(t, err)
	for segment, what := range elsewhere {
		if row := regexp.MustCompile(`(?m)^\| ` + what + ` \| .*/` + segment + "`"); !row.Match(guide) {
			t.Errorf("the guide has no row for %s with /%s", what, segment)
		}
	}
}
