package tracing_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// keyed is a server with a key for workspace A, and a client with the key.
func keyed(t *testing.T, cfg devserver.Config) *plane {
	t.Helper()
	cfg.Keys = []devserver.Key{{Value: "key-a", Workspaces: []string{devservertest.WorkspaceA}}, {Value: "key-b", Workspaces: []string{devservertest.WorkspaceB}}}
	return devservertest.New(t, cfg).As("X-Api-Key", "key-a")
}

// tokenFor creates a token for feedback on run A under the key liked.
func tokenFor(p *plane, changes ...object) object {
	p.T.Helper()
	return devservertest.Into[object](p.Do(http.MethodPost, "/feedback/tokens",
		devservertest.With(object{"run_id": runA, "feedback_key": "liked"}, changes...)).Want(http.StatusOK))
}

// TestFeedbackToken checks that anybody who has a token can give feedback with it, on its run, under its key, until it expires
// by the server's clock, also after a restart.
func TestFeedbackToken(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	cfg := devservertest.Stored(t, devserver.Config{Data: filepath.Join(t.TempDir(), "tokens.db"), Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	p := keyed(t, cfg)
	p.Do(http.MethodPost, "/runs", object{"id": runA, "name": "chat", "run_type": "chain"}).Want(http.StatusAccepted)
	p.As().Do(http.MethodPost, "/feedback/tokens", object{"run_id": runA, "feedback_key": "liked"}).Want(http.StatusUnauthorized)
	p.As().Do(http.MethodGet, "/feedback/tokens?run_id="+runA, nil).Want(http.StatusUnauthorized)

	token := tokenFor(p)
	id := token["id"].(string)
	want := object{"id": id, "url": p.Web.URL + "/api/v1/feedback/tokens/" + id, "expires_at": "2026-05-02T13:00:00.000000Z", "feedback_key": "liked"}
	devservertest.Same(t, "created", want, token)
	p.As().Do(http.MethodGet, "/api/v1/feedback/tokens/"+id+"?score=True&comment=nice&extend_trace_retention=false", nil).Want(http.StatusOK)

	p.Stop() // A token is stored.
	p = keyed(t, cfg)
	body := object{"score": 0.5, "value": nil, "correction": nil, "comment": nil, "metadata": object{"page": "7"}, "key": "other", "run_id": runB}
	p.As().Do(http.MethodPost, "/feedback/tokens/"+id, body).Want(http.StatusOK)
	got := []object{}
	for _, one := range devservertest.Get[[]object](p, "/feedback") {
		got = append(got, object{"run_id": one["run_id"], "key": one["key"], "score": one["score"], "comment": one["comment"], "metadata": one["feedback_source"].(object)["metadata"]})
	}
	wantAll := []object{
		{"run_id": runA, "key": "liked", "score": 0.5, "comment": nil, "metadata": object{"page": "7"}},
		{"run_id": runA, "key": "liked", "score": true, "comment": "nice", "metadata": nil},
	}
	devservertest.Same(t, "feedback", wantAll, got)
	devservertest.Same(t, "list", []object{want}, devservertest.Get[[]object](p, "/feedback/tokens?run_id="+runA), cmp.FilterPath(func(p cmp.Path) bool {
		return p.String() == "url" || strings.Contains(p.GoString(), `["url"]`) // The address has changed.
	}, cmp.Ignore()))
	if other := devservertest.Get[[]object](p.As("X-Api-Key", "key-b"), "/feedback/tokens?run_id="+runA); len(other) > 0 {
		t.Errorf("tokens of another workspace = %v, want none", other)
	}

	p.Clock.Advance(3*time.Hour - time.Second)
	p.As().Do(http.MethodGet, "/feedback/tokens/"+id+"?score=1", nil).Want(http.StatusOK)
	p.Clock.Advance(time.Second)
	for _, gone := range []string{id, uuid.NewString(), "nonsense"} {
		p.As().Do(http.MethodGet, "/feedback/tokens/"+gone+"?score=1", nil).Want(http.StatusNotFound)
		p.As().Do(http.MethodPost, "/feedback/tokens/"+gone, object{"score": 1}).Want(http.StatusNotFound)
	}
	if left := devservertest.Get[[]object](p, "/feedback/tokens?run_id="+runA); len(left) > 0 {
		t.Errorf("expired tokens = %v, want none", left)
	}
	p.As().Do(http.MethodGet, "/api/v1/feedback/tokens/"+id+"/?score=1", nil).Want(http.StatusNotFound) // As some mail programs follow a link.
	for _, request := range p.Recorded().Requests {
		if strings.Contains(request.Path+request.Query+string(request.Body), id) {
			t.Errorf("the request log contains the token: %+v", request)
		}
	}
	if strings.Contains(log.String(), id) {
		t.Errorf("the log contains the token: %s", log.Bytes())
	}
}

// TestFeedbackTokens creates tokens in every form that clients send.
func TestFeedbackTokens(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	for expires, changes := range map[string]object{
		"2026-05-02T11:30:00.000000Z": {"expires_in": object{"days": 0, "hours": 1, "minutes": 30}, "expires_at": nil, "feedback_config": nil},
		"2026-05-03T00:00:00.000000Z": {"expires_at": "2026-05-03T02:00:00+02:00"},
		"2026-05-02T13:00:00.000000Z": {"expires_in": nil},
	} {
		devservertest.Same(t, fmt.Sprintf("expires_at with %v", changes), expires, tokenFor(p, changes)["expires_at"])
	}
	// The client's ID is the token. Sending it again, as after a lost reply, changes nothing.
	first := tokenFor(p, object{"id": feedbackA})
	p.Clock.Advance(time.Minute)
	if diff := cmp.Diff(first, tokenFor(p, object{"id": feedbackA})); diff != "" || first["id"] != feedbackA {
		t.Errorf("created again (-want +got):\n%s", diff)
	}
	p.Do(http.MethodPost, "/feedback/tokens", object{"id": feedbackA, "run_id": runB, "feedback_key": "liked"}).Want(http.StatusConflict)
	p.As("X-Tenant-Id", devservertest.WorkspaceB).Do(http.MethodPost, "/feedback/tokens", object{"id": feedbackA, "run_id": runA, "feedback_key": "liked"}).Want(http.StatusConflict)
	all := devservertest.Into[[]object](p.Do(http.MethodPost, "/feedback/tokens", []any{
		object{"run_id": runB, "feedback_key": "a", "feedback_config": object{"type": "categorical", "categories": []any{object{"value": 1, "label": "good"}}}},
		object{"run_id": runB, "feedback_key": "b"},
	}).Want(http.StatusOK))
	if len(all) != 2 || all[0]["feedback_key"] != "a" || all[1]["feedback_key"] != "b" {
		t.Errorf("created = %v, want a token for a and one for b", all)
	}
	if got := devservertest.Get[[]object](p, "/feedback/tokens?run_id="+runB+"&limit=1&offset=1"); len(got) != 1 || got[0]["feedback_key"] != "b" {
		t.Errorf("second page = %v, want the token for b", got)
	}
	if configs := devservertest.Get[[]object](p, "/feedback-configs?key=a"); len(configs) != 1 {
		t.Errorf("configs = %v, want that of a", configs)
	}

	for problem, request := range map[string]any{
		"run_id missing":                object{"feedback_key": "a"},
		"feedback_key string_too_short": object{"run_id": runA, "feedback_key": ""},
		"expires_in.hours value_error":  object{"run_id": runA, "feedback_key": "a", "expires_in": object{"hours": -1}},
		"expires_in.days value_error":   object{"run_id": runA, "feedback_key": "a", "expires_in": object{"days": int64(1) << 60}},
		"expires_at value_error":        object{"run_id": runA, "feedback_key": "a", "expires_at": "9999-01-01T00:00:00Z"},
		"expires_at datetime_parsing":   object{"run_id": runA, "feedback_key": "a", "expires_at": "soon"},
		"1.feedback_key missing":        []any{object{"run_id": runA, "feedback_key": "a"}, object{"run_id": runA}},
	} {
		got := devservertest.Problems(p.Do(http.MethodPost, "/feedback/tokens", request).Want(http.StatusUnprocessableEntity))
		devservertest.Same(t, fmt.Sprint(request), []string{problem}, got)
	}
	refusedFor(p, "/feedback/tokens", "run_id missing")
	refusedFor(p, "/feedback/tokens/"+feedbackA+"?score=high", "score float_type")
	p.Do(http.MethodPost, "/feedback/tokens/"+feedbackA, object{"comment": strings.Repeat("x", 64<<10)}).Want(http.StatusRequestEntityTooLarge)
	for range 1000 {
		p.Do(http.MethodGet, "/feedback/tokens/"+feedbackA+"?value=again", nil).Want(http.StatusOK)
	}
	p.Do(http.MethodGet, "/feedback/tokens/"+feedbackA+"?value=again", nil).Want(http.StatusForbidden)
}
