package rest

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// watched is a value that counts how many are being encoded.
type watched struct{ now, most *atomic.Int64 }

// MarshalJSON takes so long that others would begin.
func (w watched) MarshalJSON() ([]byte, error) {
	for n, most := w.now.Add(1), w.most.Load(); n > most && !w.most.CompareAndSwap(most, n); {
		most = w.most.Load()
	}
	time.Sleep(30 * time.Millisecond)
	w.now.Add(-1)
	return []byte("1"), nil
}

// serverWithMemory returns a server of traced data whose answers may have so many bytes.
func serverWithMemory(t *testing.T, most int64) *Server {
	t.Helper()
	db, err := store.Open(t.Context(), "")
	assert.Must(t, err)
	t.Cleanup(func() { _ = db.Close() })
	return &Server{
		Store: db, Memory: limits.NewMemory(most), Dialect: api.Neutral, Clock: time.Now, Logger: slog.New(slog.DiscardHandler),
		Keys:    []Key{{Value: "k", Workspaces: []string{DefaultWorkspaceID}}},
		Advance: func(*store.Tx, time.Time) error { return nil },
		Due:     func(*store.Tx, time.Time) (bool, error) { return false, nil },
	}
}

func ask(t *testing.T, server *Server, e Endpoint) *httptest.ResponseRecorder {
	t.Helper()
	reply, request := httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
	request.Header.Set("X-Api-Key", "k")
	server.Serve(reply, request, e)
	return reply
}

// text is Content.
type text string

// Send implements Content.
func (s text) Send(w io.Writer) error {
	_, err := io.WriteString(w, string(s))
	return err
}

// TestValuesCount checks that values that are sent in pieces are accounted for, unlike what is read meanwhile.
func TestValuesCount(t *testing.T) {
	t.Parallel()
	server := serverWithMemory(t, 4*smallAnswer)
	large := text(strings.Repeat("x", 3*smallAnswer))
	for _, tc := range []struct {
		body   Content
		status int
	}{{large, http.StatusOK}, {Values{large}, http.StatusServiceUnavailable}, {Values{large[:smallAnswer+1]}, http.StatusOK}} {
		answer := func(*Call) (Answer, error) {
			return Answer{Status: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: tc.body}, nil
		}
		reply := ask(t, server, Endpoint{Neutral: true, Methods: Methods{http.MethodGet: answer}})
		if reply.Code != tc.status {
			t.Errorf("%T: status %d, want %d", tc.body, reply.Code, tc.status)
		}
		if sent := reply.Header().Get("Content-Type"); tc.status == http.StatusOK && (sent != "text/event-stream" || !strings.HasPrefix(reply.Body.String(), "xxx")) {
			t.Errorf("%T: %s %.10q, want the content", tc.body, sent, reply.Body)
		}
	}
}

// TestAnswersInTurn checks that only as many answers are built and encoded as there may be long reads of a workspace: no others are in
// memory before they are accounted for.
func TestAnswersInTurn(t *testing.T) {
	t.Parallel()
	server := serverWithMemory(t, 1<<20)
	var now, most atomic.Int64
	endpoint := Endpoint{Neutral: true, Methods: Methods{http.MethodGet: func(*Call) (Answer, error) {
		return OK(map[string]any{"value": watched{&now, &most}}), nil
	}}}
	var all sync.WaitGroup
	for range 12 {
		all.Go(func() {
			if reply := ask(t, server, endpoint); reply.Code != http.StatusOK {
				t.Errorf("status %d, want 200: %.200s", reply.Code, reply.Body)
			}
		})
	}
	all.Wait()
	if most.Load() > 3 {
		t.Errorf("%d answers were encoded at the same time, want at most 3: a workspace has no more long reads", most.Load())
	}
	if release, err := server.Hold(DefaultWorkspaceID, 1<<19); err != nil {
		t.Errorf("after the responses, some memory is still taken: %v", err)
	} else {
		release()
	}
}
