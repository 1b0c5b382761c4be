package store

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestDuePlans checks that each request, which looks for what is due first, reads only that.
func TestDuePlans(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "plane.db"))
	must(t, err)
	defer s.Close()
	for statement, want := range map[string]string{selectRevisionsDue: "SEARCH r USING INDEX revisions_due", selectDeploymentsDue: "SEARCH d USING INDEX deployments_due"} {
		read(t, s, func(tx *Tx) error {
			plan, err := tx.explain(statement, []any{0})
			if text := strings.Join(plan, "\n"); err == nil && !strings.Contains(text, want) {
				t.Errorf("the plan of %s is\n%s\nwant %s", statement, text, want)
			}
			return err
		})
	}
}
