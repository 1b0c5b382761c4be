package tracing

import (
	"os"
	"regexp"
	"testing"
)

// TestElsewhere checks that the guide names each part of the API that doesn't exist here.
func TestElsewhere(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../../../templates/guides/send-traces.md")
	if err != nil {
		t.Fatal(err)
	}
	for segment, what := range elsewhere {
		if row := regexp.MustCompile(`(?m)^\| ` + what + ` \| .*/` + segment + "`"); !row.Match(guide) {
			t.Errorf("the guide has no row for %s with /%s", what, segment)
		}
	}
}
