package pages

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/refusal"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// sharedNames is a tracing service in which each token is the name of a workspace, whose run can't be read.
type sharedNames struct{ Tracing }

func (sharedNames) SharedIn(_ *rest.Call, token string) (workspaceID string, err error) {
	return token, nil
}

func (sharedNames) Shared(*rest.Call, string) (store.Run, error) {
	return store.Run{}, refusal.Missing("The run is gone.")
}

// TestSharedOwner checks that the page of a shared run waits for a turn of the run's workspace, and for no other.
func TestSharedOwner(t *testing.T) {
	t.Parallel()
	service, server := pagesOf(t, sharedNames{})
	const each = 3 // Long reads of a workspace.
	held, release := make(chan struct{}), make(chan struct{})
	defer close(release)
	for range each {
		go func() {
			if err := server.Store.ReadLong(t.Context(), "busy", func(*store.Tx) error { held <- struct{}{}; <-release; return nil }); err != nil {
				t.Error(err)
			}
		}()
		<-held
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
}
