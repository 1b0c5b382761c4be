package devservertest

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
)

// recordings is the directory with the data of earlier commits, by commit, as seen from a package in internal.
var recordings = filepath.Join("..", "testdata", "recorded")

// EachRecording runs a test with the directory of each commit.
func EachRecording(t *testing.T, check func(t *testing.T, directory string)) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(recordings, "*", "sqlite.json.gz"))
	if err != nil || len(found) == 0 {
		t.Fatalf("there are no recordings in %s: %v", recordings, err)
	}
	for _, file := range found {
		directory := filepath.Dir(file)
		t.Run(filepath.Base(directory), func(t *testing.T) { check(t, directory) })
	}
}

// Recording describes the data that the dev server of an earlier commit has stored, and what it has answered. The README.md of the
// recordings reports what is stored where.
type Recording struct {
	Clock   time.Time        `json:"clock"` // The system's time after the last answer.
	URL     string           `json:"url"`   // The server's, which begins URLs that it stores and answers.
	Keys    []devserver.Key  `json:"keys"`
	Answers []RecordedAnswer `json:"answers"`
}

// RecordedAnswer is a request and its answer.
type RecordedAnswer struct {
	Dialect     string          `json:"dialect"`
	Key         string          `json:"key"`
	WorkspaceID string          `json:"workspace_id"`
	Method      string          `json:"method"`
	Path        string          `json:"path"`
	Body        json.RawMessage `json:"body,omitempty"`
	Status      int             `json:"status"`
	Answer      json.RawMessage `json:"answer,omitempty"`
	Contains    []string        `json:"contains,omitempty"` // Parts of a page, which has no Answer.
}

// ReadRecording reads the description of a recording.
func ReadRecording(t testing.TB, path string) (r Recording) {
	t.Helper()
	if err := json.Unmarshal(Unpacked(t, path), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// Unpacked decompresses a file of a recording.
func Unpacked(t testing.TB, path string) []byte {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	reader, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(reader)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// Start starts a server on recorded data, at the time of the recording. Rollouts that were in progress then still are.
func (r Recording) Start(t testing.TB, dialect string, cfg devserver.Config) http.Handler {
	t.Helper()
	cfg.Clock, cfg.Keys, cfg.DevAPI, cfg.NoDefaultPrices = devserver.NewManualClock(r.Clock), r.Keys, true, true
	if err := cfg.SetDialect(dialect); err != nil {
		t.Fatal(err)
	}
	server, err := devserver.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	return server
}

// Request makes the request of an answer.
func (a RecordedAnswer) Request(t testing.TB, base string) *http.Request {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), a.Method, base+a.Path, bytes.NewReader(a.Body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-Api-Key", a.Key)
	request.Header.Set("X-Tenant-Id", a.WorkspaceID)
	request.Header.Set("Content-Type", "application/json")
	return request
}

// Send sends the request of an answer to a server.
func (r Recording) Send(t *testing.T, server http.Handler, a RecordedAnswer) Reply {
	t.Helper()
	recorder := httptest.NewRecorder()
	server.ServeHTTP(recorder, a.Request(t, r.URL))
	return Reply{T: t, Status: recorder.Code, Header: recorder.Header(), Body: recorder.Body.Bytes()}
}
