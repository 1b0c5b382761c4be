package store

import (
	"errors"
	"strings"
	"testing"
	"testing/quick"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
)

// TestStorable checks of random texts, many of which have NUL, U+0001 and bytes that aren't UTF-8, that PostgreSQL takes them, that they are
// read as they were stored, and that those that are UTF-8 keep their order.
func TestStorable(t *testing.T) {
	t.Parallel()
	pieces := []string{"", "\x00", "\x01", "\x02", "a", "é", "\x80", "\xff", "\xed\xa0\x80", "\ufffd", "\u0101", "😀", "\uffff"}
	text := func(choice []uint8) string {
		var b strings.Builder
		for _, c := range choice {
			b.WriteString(pieces[int(c)%len(pieces)])
		}
		return b.String()
	}
	must(t, quick.Check(func(first, second []uint8) bool {
		a, b := text(first), text(second)
		kept, other := storable(a), storable(b)
		if strings.IndexByte(kept, 0) >= 0 || !utf8.ValidString(kept) || stored(kept) != a || (a == b) != (kept == other) {
			t.Errorf("%q is stored as %q, and read as %q", a, kept, stored(kept))
		}
		if utf8.ValidString(a) && utf8.ValidString(b) && strings.Compare(a, b) != strings.Compare(kept, other) {
			t.Errorf("%q and %q are stored in another order", a, b)
		}
		return !t.Failed()
	}, &quick.Config{MaxCount: 5000}))
}

// TestAnyText checks that texts that PostgreSQL refuses are kept, found, and ordered as in SQLite.
func TestAnyText(t *testing.T) {
	t.Parallel()
	db, err := Open(t.Context(), Data(t))
	must(t, err)
	defer db.Close()
	texts := []string{"a", "a\x00", "a\x00b", "a\x01", "a\x01b", "a\x02", "aa", "\xed\xa0\x80", "\xff"}
	err = db.Do(t.Context(), func(tx *Tx) error {
		for _, text := range texts {
			if err := tx.EnsureProject(Project{ID: text, WorkspaceID: "w", Name: text, Description: &text, Extra: &text}); err != nil {
				return err
			}
			got, err := tx.ProjectNamed("w", text)
			if diff := cmp.Diff(Project{ID: text, WorkspaceID: "w", Name: text, Description: &text, Extra: &text, StartTime: got.StartTime}, got); err != nil || diff != "" {
				t.Errorf("project %q: error = %v (-want +got):\n%s", text, err, diff)
			}
			if err := tx.SaveFeedbackConfig(FeedbackConfig{WorkspaceID: "w", Key: text, Config: text}); err != nil {
				return err
			}
			if err := tx.InsertListener(Listener{ID: text, WorkspaceID: "w", ComputeID: text, K8sNamespaces: texts[:6]}); err != nil {
				return err
			}
			listener, err := tx.Listener("w", text)
			if diff := cmp.Diff(jsonList(texts[:6]), listener.K8sNamespaces); err != nil || diff != "" {
				t.Errorf("namespaces: error = %v (-want +got):\n%s", err, diff)
			}
		}
		configs, err := tx.FeedbackConfigs("w")
		var keys []string
		for _, c := range configs {
			if utf8.ValidString(c.Key) {
				keys = append(keys, c.Key)
			}
		}
		assert.Same(t, "sorted keys", texts[:7], keys)
		deployments, failed := tx.Deployments("w", DeploymentFilter{IDs: texts, NameContains: &texts[1]}, Page{Limit: 10})
		if len(deployments) > 0 {
			t.Errorf("deployments = %v, want none", deployments)
		}
		return errors.Join(err, failed)
	})
	must(t, err)
}
