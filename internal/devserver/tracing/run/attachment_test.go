package run

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// TestSweep checks that attachments whose request never finished are deleted after their time.
func TestSweep(t *testing.T) {
	t.Parallel()
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "data.db"))
	must(t, err)
	defer db.Close()
	now := time.Date(2026, 5, 2, 10, 0, 0, 0, time.UTC)
	service := New(db, func() time.Time { return now }, limits.NewMemory(limits.BodiesTogether))
	keep := func() string {
		sink := attachmentSink{service: service, workspaceID: rest.DefaultWorkspaceID}
		id, _, err := sink.Keep(t.Context(), strings.NewReader("PNG"))
		must(t, err)
		return id
	}
	want := func(ids ...string) {
		t.Helper()
		var got []string
		must(t, db.Read(t.Context(), func(tx *store.Tx) (err error) {
			got, err = tx.AbandonedAttachments(now.Add(time.Hour))
			return err
		}))
		assert.Same(t, "kept", ids, got)
	}
	first := keep()
	now = now.Add(limits.AttachmentTime)
	second := keep()
	want(first, second)
	must(t, service.SweepAttachments(t.Context()))
	want(first, second)
	now = now.Add(time.Minute)
	must(t, service.SweepAttachments(t.Context()))
	want(second)
}
