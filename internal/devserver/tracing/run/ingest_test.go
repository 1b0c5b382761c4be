package run

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"encoding/json"
	"fmt"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/ingest"
)

// onFullDisk returns a service that can't store anything.
func onFullDisk(t *testing.T, memory int64) *Service {
	t.Helper()
	db, _ := open(t)
	full := func(context.Context, store.Expected, func(*store.Tx) error) error { return store.ErrFull }
	return writing(New(db, time.Now, limits.NewMemory(memory)), full)
}

// TestIngestOnFullDisk checks that the error tells clients to send runs again: if refused, they would drop them.
func TestIngestOnFullDisk(t *testing.T) {
	t.Parallel()
	service := onFullDisk(t, 1<<20)
	form := "--b\r\nContent-Disposition: form-data; name=\"attachment.aaaaaaaa-1111-4000-8000-000000000000.photo\"\r\n\r\nPNG\r\n--b--\r\n"
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/runs/multipart", strings.NewReader(form))
	r.Header.Set("Content-Type", "multipart/form-data; boundary=b")
	if _, err := service.ingestMultipart(r, rest.DefaultWorkspaceID); !errors.Is(err, store.ErrFull) {
		t.Errorf("error = %v, want ErrFull", err)
	}
}

// TestIngestTogether checks that no request that logs runs is told to give up because of what others take: after 429, a client
// drops its runs.
func TestIngestTogether(t *testing.T) {
	t.Parallel()
	service := onFullDisk(t, 1)
	for name, ingests := range map[string]func(*http.Request, string) (rest.Answer, error){
		"run": service.ingestRun, "patch": service.ingestPatch, "batch": service.ingestBatch, "multipart": service.ingestMultipart,
	} {
		body := "--b\r\nContent-Disposition: form-data; name=\"post.aaaaaaaa-1111-4000-8000-000000000000\"\r\n\r\n{}\r\n--b--\r\n"
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/runs", strings.NewReader(body))
		r.Header.Set("Content-Type", "multipart/form-data; boundary=b")
		_, err := ingests(r, rest.DefaultWorkspaceID)
		refused, is := errors.AsType[*rest.Error](err)
		if !is || refused.Status != http.StatusServiceUnavailable || refused.Header.Get("Retry-After") != "1" {
			t.Errorf("%s: error = %v, want status 503 with Retry-After", name, err)
		}
	}
}

// TestRefusedExport checks that an error keeps its status and Retry-After, in the encoding of the request.
func TestRefusedExport(t *testing.T) {
	t.Parallel()
	later := rest.Answer{Status: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"1"}}, Body: runsError{Error: "later"}}
	for contentType, want := range map[string]string{"application/json": `{"message":"later"}`, "application/x-protobuf": "\x12\x05later"} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/otel/v1/traces", http.NoBody)
		r.Header.Set("Content-Type", contentType)
		a, err := refuseExport(r, later)
		must(t, err)
		if a.Status != later.Status || a.Header.Get("Retry-After") != "1" || a.Header.Get("Content-Type") != contentType {
			t.Errorf("status %d, header %v; want %d, Retry-After 1 and %s", a.Status, a.Header, later.Status, contentType)
		}
		if got := strings.ReplaceAll(string(a.Body.(rawBody)), " ", ""); got != want { // The encoder varies spaces on purpose.
			t.Errorf("body = %q, want %q", got, want)
		}
	}
}

// TestChangesAreLinear checks that four times as many patches of a run take about four times as much work, not sixteen times. It counts allocations, so it isn't parallel.
func TestChangesAreLinear(t *testing.T) {
	patches := func(n int) []ingest.Operation {
		all := make([]ingest.Operation, n)
		for i := range all {
			extra := fmt.Sprintf(`{"metadata":{"k%d":%d}}`, i, i)
			all[i] = ingest.Operation{Kind: ingest.Patch, RunID: "r", Fields: ingest.Fields{"extra": json.RawMessage(extra)}}
		}
		return all
	}
	few, many := patches(200), patches(800)
	work := func(operations []ingest.Operation) float64 {
		return testing.AllocsPerRun(1, func() { changes(operations) })
	}
	if ratio := work(many) / work(few); ratio > 6 {
		t.Errorf("four times as many patches take %.1f times as many allocations, want at most 6", ratio)
	}
	var extra struct{ Metadata map[string]int }
	if err := json.Unmarshal(changes(few)[0].patch["extra"], &extra); err != nil || len(extra.Metadata) != len(few) {
		t.Errorf("%d entries of metadata, %v; want %d", len(extra.Metadata), err, len(few))
	}
}
