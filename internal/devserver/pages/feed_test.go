package pages

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages/web"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/figure"
)

func stateName(state int64) string { return fmt.Sprintf("state-%d", state) }

// browser receives the events of a stream.
type browser struct {
	header http.Header
	events chan string
}

func (b *browser) Header() http.Header         { return b.header }
func (b *browser) WriteHeader(int)             {}
func (b *browser) Flush()                      {}
func (b *browser) Write(p []byte) (int, error) { b.events <- string(p); return len(p), nil }

func (b *browser) waitFor(t *testing.T, text string) {
	t.Helper()
	for event := range b.events {
		if strings.Contains(event, text) {
			return
		}
	}
	t.Fatalf("the stream has ended without %q", text)
}

// openPages returns the pages of a tracing service without data, and without a control plane.
func openPages(t *testing.T) (*Service, *rest.Server) {
	t.Helper()
	db, err := store.Open(t.Context(), "")
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

// TestFeed checks that a part that many streams follow is rendered once for all of them at each change, and kept no longer than they exist.
func TestFeed(t *testing.T) {
	t.Parallel()
	service, server := openPages(t)
	db := server.Store
	db.StopIndexing() // It changes what is stored, too.
	var rendered atomic.Int64
	server.Due = func(*store.Tx, time.Time) (bool, error) { rendered.Add(1); return false, nil } // Once for each part that is rendered.
	const projectID = "00000000-0000-4000-8000-00000000000a"
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	var streams sync.WaitGroup
	open := func() *browser {
		b := &browser{http.Header{}, make(chan string, 100)}
		request := httptest.NewRequestWithContext(ctx, http.MethodGet, "/ui/events?part=/ui/projects/"+projectID, http.NoBody)
		streams.Go(func() {
			defer close(b.events)
			service.events(b, request)
		})
		return b
	}
	change := func(state int64) {
		t.Helper()
		runID := uuid.NewString()
		if err := db.Do(t.Context(), func(tx *store.Tx) error {
			return tx.SaveRun(store.Run{
				WorkspaceID: rest.DefaultWorkspaceID, ID: runID, TraceID: runID, ProjectID: projectID, Name: stateName(state), RunType: "chain",
				Status: "success", StartTime: server.Now(), ReceivedAt: server.Now(), DottedOrder: new("a"), Figures: figure.None,
			}, store.RunBody{Post: []byte("{}"), Patch: []byte("{}")}, nil)
		}); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Do(t.Context(), func(tx *store.Tx) error {
		return tx.EnsureProject(store.Project{ID: projectID, WorkspaceID: rest.DefaultWorkspaceID, Name: "agents"})
	}); err != nil {
		t.Fatal(err)
	}
	change(0)
	browsers := make([]*browser, 50)
	for i := range browsers {
		browsers[i] = open()
	}
	for state := range int64(3) {
		if state > 0 {
			change(state)
		}
		for _, b := range browsers {
			b.waitFor(t, stateName(state))
		}
		if got := rendered.Load(); got != state+1 {
			t.Errorf("in state %d, the part has been rendered %d times, want %d", state, got, state+1)
		}
	}
	change(3)
	late := open()
	if <-late.events; !strings.Contains(<-late.events, stateName(3)) { // The first says how long to wait after an error.
		t.Error("a stream begins with what was true before")
	}
	const workspace = limits.BodiesTogether / 2
	if release, err := server.Keep(rest.DefaultWorkspaceID, workspace); err == nil {
		t.Error("what the part takes doesn't count")
		release()
	}
	leave()
	streams.Wait()
	if len(service.feeds.of) > 0 {
		t.Error("a part is followed after all streams have ended")
	}
	if _, err := server.Keep(rest.DefaultWorkspaceID, workspace); err != nil {
		t.Errorf("what the part took still counts: %v", err)
	}
}

// TestJoinDuringLook checks that a stream that comes while its part is rendered learns what is found afterwards, also if that is
// the same, or the end: what was begun before the stream came may be older than its page.
func TestJoinDuringLook(t *testing.T) {
	t.Parallel()
	for name, ends := range map[string]bool{"a part that goes on": false, "a part that ends": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service, _ := openPages(t)
			looks := make(chan chan struct{})
			part := livePart{show: func(c *rest.Call, _ web.Frame) (rendering, bool, error) {
				goOn := make(chan struct{})
				select {
				case looks <- goOn:
					<-goOn
				case <-c.Request.Context().Done():
				}
				return func(_ *web.Pages, w io.Writer) error {
					_, err := io.WriteString(w, "the same")
					return err
				}, ends, nil
			}, request: httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)}
			key, wake := feedKey{workspaceID: rest.DefaultWorkspaceID}, make(chan struct{}, 1)
			defer service.leave(service.join(t.Context(), key, part, make(chan struct{}, 1)))
			look := <-looks
			late := service.join(t.Context(), key, part, wake)
			defer service.leave(late)
			close(look)
			<-wake
			if _, is := service.feeds.read(late); is {
				t.Error("the stream has found what may be older than its page")
			}
			select {
			case look = <-looks:
				close(look)
			case <-time.After(keepAlive):
				t.Fatal("the part isn't rendered again")
			}
			select {
			case <-wake:
			case <-time.After(keepAlive):
				t.Fatal("the stream wasn't woken")
			}
			if found, is := service.feeds.read(late); !is || string(found.html) != "the same" || found.ended != ends {
				t.Errorf("the stream has found %q, ended %v", found.html, found.ended)
			}
		})
	}
}
