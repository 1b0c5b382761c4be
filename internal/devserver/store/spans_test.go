package store_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/postgrestest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// TestSpansTogether sends spans with parents in the same request, in an earlier one and nowhere. PostgreSQL stores all those of a request with
// one statement.
func TestSpansTogether(t *testing.T) {
	t.Parallel()
	postgrestest.Required(t)
	address := store.Data(t)
	server, err := devserver.New(devserver.Config{Data: address, SealKey: filepath.Join(t.TempDir(), "key")})
	devservertest.Must(t, err)
	t.Cleanup(func() { _ = server.Close() })
	const traces = 20
	spans := 0
	export := func(levels ...int) {
		t.Helper()
		var all []any
		for trace := range traces {
			for _, level := range levels {
				all = append(all, map[string]any{
					"traceId": fmt.Sprintf("%032x", trace+1), "spanId": fmt.Sprintf("%08x%08x", trace+1, level+1), "parentSpanId": fmt.Sprintf("%08x%08x", trace+1, level),
					"name": "step", "startTimeUnixNano": "1777716000000000000", "endTimeUnixNano": "1777716001000000000",
				})
			}
		}
		spans += len(all)
		body, err := json.Marshal(map[string]any{"resourceSpans": []any{map[string]any{"scopeSpans": []any{map[string]any{"spans": all}}}}})
		devservertest.Must(t, err)
		request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost/otel/v1/traces", strings.NewReader(string(body)))
		request.Header.Set("Content-Type", "application/json")
		done := httptest.NewRecorder()
		if server.ServeHTTP(done, request); done.Code != http.StatusOK {
			t.Fatalf("status %d: %s", done.Code, done.Body)
		}
	}
	export(0, 1)
	export(2, 3)
	connection, err := pgx.Connect(t.Context(), address)
	devservertest.Must(t, err)
	defer connection.Close(t.Context())
	var runs, roots, statements int
	row := connection.QueryRow(t.Context(), "SELECT count(*), count(*) FILTER (WHERE is_root), count(DISTINCT (xmin::text, cmin::text)) FROM runs")
	devservertest.Must(t, row.Scan(&runs, &roots, &statements))
	if runs != spans || roots != traces || statements != 2 {
		t.Errorf("%d runs in %d traces, stored with %d statements; want %d in %d, with one for each request", runs, roots, statements, spans, traces)
	}
}
