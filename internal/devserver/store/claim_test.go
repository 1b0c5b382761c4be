package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// TestClaim checks that a file can be claimed once, by whichever of its names.
func TestClaim(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, link, linked := filepath.Join(dir, "real", "x.db"), filepath.Join(dir, "link.db"), filepath.Join(dir, "linked")
	devservertest.Must(t, errors.Join(os.Mkdir(filepath.Dir(file), 0o700), os.Symlink(filepath.Join("real", "x.db"), link), os.Symlink("real", linked)))
	names := []string{file, link, filepath.Join(linked, "x.db")}
	for _, first := range names {
		claim, err := store.Claim(t.Context(), first, "the first")
		devservertest.Must(t, err)
		for _, second := range names {
			_, err := store.Claim(t.Context(), second, "the second")
			if taken, is := errors.AsType[*store.InUseError](err); !is || taken.Owner != "the first" || taken.Path != second {
				t.Errorf("claim of %s after %s: error = %v, want that it is in use by the first", second, first, err)
			}
		}
		devservertest.Must(t, claim.Close())
	}
}
