package pages

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing"
)

// openPages returns the pages of a tracing service without data, and without a control plane.
func openPages(t *testing.T, data string) (*Service, *rest.Server) {
	t.Helper()
	db, err := store.Open(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	memory := limits.NewMemory(limits.BodiesTogether)
	server := &rest.Server{
		Store: db, Memory: memory, Dialect: api.Neutral, Clock: time.Now, Logger: slog.New(slog.DiscardHandler),
		Advance: func(*store.Tx, time.Time) error { return nil },
		Due:     func(*store.Tx, time.Time) (bool, error) { return false, nil },
	}
	service, err := New(server, nil, tracing.New(db, server.Now, memory), nil, false)
	if err != nil {
		t.Fatal(err)
	}
	return service, server
}

// TestSharedOwner checks that the page of a shared run waits for a turn of the run's workspace, and for no other.
func TestSharedOwner(t *testing.T) {
	t.Parallel()
	service, server := openPages(t, "")
	for _, name := range []string{"busy", "idle"} { // Each is the token of a run, which has been deleted, and the run's workspace.
		if err := server.Store.Do(t.Context(), func(tx *store.Tx) error {
			return tx.SaveRunShare(store.RunShare{Token: name, WorkspaceID: name, RunID: name})
		}); err != nil {
			t.Fatal(err)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		held, release := make(chan struct{}), make(chan struct{})
		defer close(release)
		for full := false; !full; { // With long reads of a workspace.
			full = true
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
			go func() {
				err := server.Store.ReadLong(ctx, "busy", func(*store.Tx) error { held <- struct{}{}; <-release; return nil })
				if err != nil && !errors.Is(err, store.ErrBusy) {
					t.Error(err)
				}
			}()
			select {
			case <-held:
				full = false
			case <-ctx.Done():
			}
			cancel()
		}
		mux := http.NewServeMux()
		service.Routes(mux)
		want := func(token string, status int) {
			t.Helper()
			reply := httptest.NewRecorder()
			mux.ServeHTTP(reply, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/public/"+token+"/r", http.NoBody))
			if reply.Code != status {
				t.Errorf("%s: status %d, want %d", token, reply.Code, status)
			}
		}
		server.QueryTime = 3 * time.Second
		want("busy", http.StatusServiceUnavailable)
		server.QueryTime = 0
		want("idle", http.StatusNotFound)
	})
}

// TestSharedThread_revoked checks that there is no page of a thread that is revoked after its owner was found.
func TestSharedThread_revoked(t *testing.T) {
	t.Parallel()
	service, _ := openPages(t, "")
	reply := httptest.NewRecorder()
	page := service.shared(func(*store.Tx, string) (string, error) { return "w", nil }, service.showSharedThread)
	page(reply, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody))
	if reply.Code != http.StatusNotFound {
		t.Errorf("status = %d, want %d:\n%s", reply.Code, http.StatusNotFound, reply.Body)
	}
}
