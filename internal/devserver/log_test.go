package devserver_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// TestLog sends requests of all kinds. Each has exactly one record of its own, all records that are about it have its ID, and none has
// what may be secret.
func TestLog(t *testing.T) {
	t.Parallel()
	const key, canary = "canary-key", "canary"
	access := devserver.LevelAccess.String()
	var log lockedBuffer
	p := devservertest.New(t, devserver.Config{
		Logger: slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Keys:   []devserver.Key{{Value: key, Workspaces: []string{devservertest.WorkspaceA}}},
	}).As("X-Api-Key", key)
	type logged struct {
		status             float64
		path, level, about string
		more               []string // Other messages.
	}
	for name, tc := range map[string]struct {
		method, path, host string
		body               any
		want               logged
	}{
		"control plane": {method: "GET", path: "/v2/deployments?limit=5", want: logged{200, "/v2/deployments", access, devservertest.WorkspaceA, nil}},
		"secrets": {
			method: "POST", path: "/v2/deployments", body: devservertest.ImageRequest("a", object{"secrets": []any{object{"name": "A", "value": canary}}}),
			want: logged{201, "/v2/deployments", access, devservertest.WorkspaceA, nil},
		},
		"unknown parameter": {
			method: "GET", path: "/api-host/sessions?token=canary&x=canary", want: logged{200, "/api-host/sessions", access, devservertest.WorkspaceA, []string{"ignored unknown parameters"}},
		},
		"no such route": {
			method: "GET", path: "/nowhere?x=canary", want: logged{404, "/nowhere", access, devservertest.WorkspaceA, []string{"no such route: check the base URL and the path"}},
		},
		"unclean path": {
			method: "GET", path: "/v2//deployments", want: logged{404, "/v2//deployments", access, devservertest.WorkspaceA, []string{"no such route: check the base URL and the path"}},
		},
		"page":        {method: "GET", path: "/ui/deployments?q=canary", want: logged{200, "/ui/deployments", access, devservertest.WorkspaceA, nil}},
		"refused":     {method: "GET", path: "/ui/deployments/none", want: logged{404, "/ui/deployments/none", access, devservertest.WorkspaceA, nil}},
		"link":        {method: "GET", path: "/public/canary/r", want: logged{404, "/public/***/r", access, "", nil}},
		"other host":  {method: "GET", path: "/v2/deployments", host: "rebound.example", want: logged{403, "/v2/deployments", access, "", []string{"request refused"}}},
		"probe":       {method: "GET", path: "/healthz", want: logged{200, "/healthz", "DEBUG", "", nil}},
		"other probe": {method: "GET", path: "/readyz", want: logged{200, "/readyz", "DEBUG", "", nil}},
	} {
		var body []byte
		if tc.body != nil {
			var err error
			if body, err = json.Marshal(tc.body); err != nil {
				t.Fatal(err)
			}
		}
		request := httptest.NewRequestWithContext(t.Context(), tc.method, "http://localhost"+tc.path, bytes.NewReader(body))
		request.Header.Set("X-Api-Key", key)
		if strings.HasPrefix(tc.path, "/ui/") {
			request.SetBasicAuth("canary-user", key)
		}
		if tc.host != "" {
			request.Host = tc.host
		}
		response := httptest.NewRecorder()
		log.buf.Reset()
		p.ServeHTTP(response, request) // A client has the response before the record is written.
		text := log.buf.String()
		var own int
		var more []string
		for lines := bufio.NewScanner(strings.NewReader(text)); lines.Scan(); {
			var record map[string]any
			devservertest.Must(t, json.Unmarshal(lines.Bytes(), &record))
			if id := response.Header().Get("X-Request-Id"); record["request_id"] != id || id == "" {
				t.Errorf("%s: request ID = %v, want %s: %v", name, record["request_id"], id, record)
			}
			if record["msg"] != "request" {
				more = append(more, record["msg"].(string))
				continue
			}
			own++
			got := logged{record["status"].(float64), record["path"].(string), record["level"].(string), record["workspace_id"].(string), nil}
			want := tc.want
			if want.more = nil; got.status != want.status || got.path != want.path || got.level != want.level || got.about != want.about || record["method"] != tc.method {
				t.Errorf("%s: record = %v, want %+v", name, record, want)
			}
		}
		if own != 1 || strings.Join(more, "\n") != strings.Join(tc.want.more, "\n") {
			t.Errorf("%s: %d records and %q, want one and %q", name, own, more, tc.want.more)
		}
		if strings.Contains(text, canary) {
			t.Errorf("%s: the log contains what may be secret: %s", name, text)
		}
	}
}
