package rest_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
)

// TestArrive checks what is known of a request after its answer.
func TestArrive(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		handle http.HandlerFunc
		want   rest.Arrival
	}{
		"answered": {func(w http.ResponseWriter, r *http.Request) {
			rest.ArrivalOf(r.Context()).WorkspaceID = "w"
			w.WriteHeader(http.StatusTeapot)
			_, _ = w.Write([]byte("ab"))
			_, _ = w.Write([]byte("c"))
		}, rest.Arrival{Status: http.StatusTeapot, Sent: 3, WorkspaceID: "w"}},
		"only a body": {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("a")) }, rest.Arrival{Status: http.StatusOK, Sent: 1}},
		"nothing":     {func(http.ResponseWriter, *http.Request) {}, rest.Arrival{}},
		"aborted":     {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, rest.Arrival{}},
		"flushed": {func(w http.ResponseWriter, _ *http.Request) {
			if err := http.NewResponseController(w).Flush(); err != nil {
				t.Error(err)
			}
			_, _ = w.Write([]byte("a"))
		}, rest.Arrival{Status: http.StatusOK, Sent: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer, got := httptest.NewRecorder(), rest.Arrival{}
			func() {
				defer func() { _ = recover() }()
				request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/", http.NoBody)
				rest.Arrive(answer, request, nil, tc.handle, func(_ *http.Request, a *rest.Arrival) { got = *a })
			}()
			if id := answer.Header().Get("X-Request-Id"); got.ID != id || id == "" {
				t.Errorf("ID %q, want that of the answer, %q", got.ID, id)
			}
			devservertest.Same(t, "arrival", tc.want, got, cmpopts.IgnoreFields(rest.Arrival{}, "ID", "Took", "Scheme", "Host"))
		})
	}
}

// TestIdentified checks that records of a request have its ID, with the attributes of their logger, and others have none.
func TestIdentified(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	logger := slog.New(rest.Identified(slog.NewTextHandler(&log, nil))).With("a", 1).WithGroup("g")
	var id string
	rest.Arrive(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/", http.NoBody), nil,
		func(_ http.ResponseWriter, r *http.Request) { logger.InfoContext(r.Context(), "within", "b", 2) },
		func(_ *http.Request, a *rest.Arrival) { id = a.ID })
	if text := log.String(); !strings.Contains(text, "msg=within a=1 g.b=2 g.request_id="+id) {
		t.Errorf("log = %s, want the ID %s", text, id)
	}
	log.Reset()
	logger.InfoContext(context.Background(), "outside")
	if text := log.String(); strings.Contains(text, "request_id") || rest.ArrivalOf(context.Background()).ID != "" {
		t.Errorf("log = %s, want no ID", text)
	}
}
