package store_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

func TestDoTogether(t *testing.T) {
	t.Parallel()
	s := open(t, store.DataFile(t))
	const writers = 200
	want := map[string]bool{}
	var mu sync.Mutex
	var group sync.WaitGroup
	for i := range writers {
		group.Go(func() {
			name := fmt.Sprintf("p%d", i)
			err := s.DoGrouped(t.Context(), store.Expected{}, func(tx *store.Tx) error {
				if err := tx.EnsureProject(store.Project{ID: name, WorkspaceID: workspace, Name: name, StartTime: at}); err != nil {
					return err
				}
				switch i % 10 {
				case 7:
					return errBroken
				case 8:
					panic("no such thing")
				}
				return nil
			})
			mu.Lock()
			defer mu.Unlock()
			want[name] = true
			switch i % 10 {
			case 7:
				want[name] = false
				if !errors.Is(err, errBroken) {
					t.Errorf("%s: error = %v, want errBroken", name, err)
				}
			case 8:
				want[name] = false
				if err == nil || !strings.Contains(err.Error(), "no such thing") {
					t.Errorf("%s: error = %v, want the panic", name, err)
				}
			default:
				if err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		})
	}
	group.Wait()
	got := map[string]bool{}
	do(t, s, func(tx *store.Tx) error {
		for name := range want {
			_, err := tx.Project(workspace, name)
			if err != nil && !errors.Is(err, store.ErrNotFound) {
				return err
			}
			got[name] = err == nil
		}
		return nil
	})
	devservertest.Same(t, "stored projects", want, got)
}

// TestDoTogether_closed expects an error if the store is closed.
func TestDoTogether_closed(t *testing.T) {
	t.Parallel()
	s := open(t, "")
	devservertest.Must(t, s.Close())
	if err := s.DoGrouped(t.Context(), store.Expected{}, func(*store.Tx) error { return nil }); err == nil {
		t.Error("DoGrouped on a closed store: error = nil, want one")
	}
}

func TestDoTogether_cancelled(t *testing.T) {
	t.Parallel()
	s := open(t, "")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := s.DoGrouped(ctx, store.Expected{}, func(*store.Tx) error {
		t.Error("the work began with a cancelled context")
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v, want context.Canceled", err)
	}
}
