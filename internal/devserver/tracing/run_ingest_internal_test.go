package tracing

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// fullStore is on a disk without any space.
type fullStore struct{ store.Store }

func (fullStore) DoGrouped(context.Context, func(store.Tx) error) error { return store.ErrFull }

// TestIngestOnFullDisk: a client that is told to send its runs again keeps them, and one that is refused drops them.
func TestIngestOnFullDisk(t *testing.T) {
	t.Parallel()
	service := New(fullStore{}, time.Now, limits.NewMemory(1<<20))
	form := "--b\r\nContent-Disposition: form-data; name=\"attachment.aaaaaaaa-1111-4000-8000-000000000000.photo\"\r\n\r\nPNG\r\n--b--\r\n"
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/runs/multipart", strings.NewReader(form))
	r.Header.Set("Content-Type", "multipart/form-data; boundary=b")
	if _, err := service.ingestMultipart(r, rest.DefaultWorkspaceID); !errors.Is(err, store.ErrFull) {
		t.Errorf("error %v, want ErrFull", err)
	}
}
