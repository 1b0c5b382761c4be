package rest_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// patience is how long the test waits for what must not wait at all.
const patience = 20 * time.Second

// TestAhead checks that another writer doesn't wait while a large body is decoded, and that nothing is stored twice.
func TestAhead(t *testing.T) {
	t.Parallel()
	db, err := store.Open(t.Context(), "")
	devservertest.Must(t, err)
	defer db.Close()
	server := &rest.Server{
		Store: db, Memory: limits.NewMemory(1 << 20), Dialect: api.Neutral, Clock: time.Now,
		Logger: slog.New(slog.DiscardHandler), Advance: func(*store.Tx, time.Time) error { return nil }, Due: func(*store.Tx, time.Time) (bool, error) { return false, nil },
	}
	large := strings.Repeat(" ", 100_000)
	insert := func(tx *store.Tx, name string) error {
		return tx.InsertModelPrice(store.ModelPrice{ID: name, WorkspaceID: rest.DefaultWorkspaceID, Entry: "{}", Identity: name})
	}
	for name, tc := range map[string]struct {
		body             string
		failing          bool
		attempts, status int
	}{
		"small":   {" ", false, 1, http.StatusOK},
		"large":   {large, false, 2, http.StatusOK},
		"refused": {large, true, 2, http.StatusNotFound},
	} {
		attempts := 0
		work := func(c *rest.Call) (rest.Answer, error) {
			attempts++
			n, err := rest.Ahead(c, func() (int, error) {
				if len(c.Body) < len(large) {
					return 7, nil
				}
				if tc.failing {
					return 0, form.Missing("Nothing.")
				}
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				defer cancel()
				return 7, db.Do(ctx, func(tx *store.Tx) error { return insert(tx, name+" meanwhile") })
			})
			if err != nil {
				return rest.Answer{}, err
			}
			if len(c.Body) == len(large) && !secondPanics(c) {
				t.Errorf("%s: a second call for another type returns, want a panic", name)
			}
			return rest.OK(n), insert(c.Tx, name)
		}
		answer := httptest.NewRecorder()
		server.Serve(answer, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(tc.body)), rest.Endpoint{Methods: rest.Methods{http.MethodPost: work}})
		if answer.Code != tc.status || tc.status == http.StatusOK && strings.TrimSpace(answer.Body.String()) != "7" {
			t.Errorf("%s: status %d, want %d: %s", name, answer.Code, tc.status, answer.Body)
		}
		if attempts != tc.attempts {
			t.Errorf("%s: the transaction ran %d times, want %d", name, attempts, tc.attempts)
		}
	}
	err = db.Read(t.Context(), func(tx *store.Tx) error {
		stored, err := tx.ModelPrices(rest.DefaultWorkspaceID)
		if len(stored) != 3 { // Two requests, and what was written during one.
			t.Errorf("%d prices are stored, want 3", len(stored))
		}
		return err
	})
	devservertest.Must(t, err)
}

// secondPanics reports whether a second call of Ahead in a handler, for another type than that of the first, panics.
func secondPanics(c *rest.Call) (panics bool) {
	defer func() { panics = recover() != nil }()
	_, _ = rest.Ahead(c, func() (string, error) { return "", nil })
	return false
}

// TestFastClock checks that a request that changes nothing doesn't keep others from writing, even if something is due whenever it looks.
func TestFastClock(t *testing.T) {
	t.Parallel()
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "data.db"))
	devservertest.Must(t, err)
	defer db.Close()
	advanced := 0
	server := &rest.Server{
		Store: db, Memory: limits.NewMemory(1 << 20), Dialect: api.Neutral, Clock: time.Now, Logger: slog.New(slog.DiscardHandler),
		Advance: func(*store.Tx, time.Time) error { advanced++; return nil }, Due: func(*store.Tx, time.Time) (bool, error) { return true, nil },
	}
	read := func(*rest.Call) (rest.Answer, error) {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		return rest.OK(7), db.Do(ctx, func(*store.Tx) error { return nil })
	}
	answer := httptest.NewRecorder()
	server.Serve(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody), rest.Endpoint{Methods: rest.Methods{http.MethodGet: read}})
	if answer.Code != http.StatusOK || advanced == 0 {
		t.Errorf("status %d after %d advances, want 200 after some: %s", answer.Code, advanced, answer.Body)
	}
}
