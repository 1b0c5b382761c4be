package rest

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// TestOwner checks that a request that needs no key counts for the workspace whose data it reads, whatever its key is: its long reads, and
// its large answers.
func TestOwner(t *testing.T) {
	t.Parallel()
	db, err := store.Open(t.Context(), "")
	assert.Must(t, err)
	defer db.Close()
	const answer = 2 * smallAnswer
	server := &Server{
		Store: db, Memory: limits.NewMemory(4 * answer), Dialect: api.Neutral, Clock: time.Now, Logger: slog.New(slog.DiscardHandler),
		Keys:    []Key{{Value: "k", Workspaces: []string{DefaultWorkspaceID}}},
		Advance: func(*store.Tx, time.Time) error { return nil },
		Due:     func(*store.Tx, time.Time) (bool, error) { return false, nil },
	}
	endpoint := Endpoint{
		Public: true, Neutral: true,
		Methods: Methods{http.MethodGet: func(*Call) (Answer, error) { return OK(strings.Repeat("x", answer)), nil }},
		Owner:   func(c *Call) (string, error) { return c.Request.PathValue("of"), nil },
	}
	want := func(of string, status int) {
		t.Helper()
		reply, request := httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
		request.SetPathValue("of", of)
		request.Header.Set("X-Api-Key", "k")
		if server.Serve(reply, request, endpoint); reply.Code != status {
			t.Errorf("%s: status %d, want %d: %.200s", of, reply.Code, status, reply.Body)
		}
	}
	want("large", http.StatusOK)
	release, err := server.Hold("large", answer)
	assert.Must(t, err)
	want("large", http.StatusServiceUnavailable)
	want("idle", http.StatusOK)
	release()
	want("large", http.StatusOK)

	synctest.Test(t, func(t *testing.T) {
		held, free := make(chan struct{}), make(chan struct{})
		defer close(free)
		for full := false; !full; { // With long reads of a workspace.
			full = true
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
			go func() {
				err := db.ReadLong(ctx, "long", func(*store.Tx) error { held <- struct{}{}; <-free; return nil })
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
		server.QueryTime = 3 * time.Second
		want("long", http.StatusServiceUnavailable)
		server.QueryTime = 0
		want("idle", http.StatusOK)
	})
}
