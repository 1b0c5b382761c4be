package tracing_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
)

// Ids of runs in texts.
const (
	runA = "aaaaaaaa-1111-4000-8000-000000000000"
	runB = "bbbbbbbb-2222-4000-8000-000000000000"
)

// orderOf returns the dotted order of a root run.
func orderOf(id string) string { return "20260502T100000000000Z" + id }

// TestTooManyOperations checks that the number of operations in a request is limited, in addition to its size.
func TestTooManyOperations(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	patch := `{"id": "` + runA + `"},`
	batch := func(n int) string { return `{"patch": [` + strings.TrimSuffix(strings.Repeat(patch, n), ",") + `]}` }
	refused := p.Do(http.MethodPost, "/runs/batch", batch(1_001)).Want(http.StatusRequestEntityTooLarge)
	if !strings.Contains(string(refused.Body), "has more than 1000 posts, patches and feedback") {
		t.Errorf("error = %s, want one with the number and the limit", refused.Body)
	}
	p.Do(http.MethodPost, "/runs/batch", batch(1_000)).Want(http.StatusAccepted)
}

// TestIngestAnswers logs runs in every way and checks the responses.
func TestIngestAnswers(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	for _, prefix := range []string{"", "/v1", "/api", "/api/v1", "/api-host", "/api-host/api/v1"} {
		post := p.Do(http.MethodPost, prefix+"/runs", object{"name": "chat", "run_type": "chain"}).Want(http.StatusAccepted)
		wantMessage(t, post, "Run created")
		id := uuid.NewString()
		patch := p.Do(http.MethodPatch, prefix+"/runs/"+id, object{"end_time": 1777716000500}).Want(http.StatusAccepted)
		wantMessage(t, patch, "Run updated")
		batch := p.Do(http.MethodPost, prefix+"/runs/batch", object{"post": []any{devservertest.RootRun()}}).Want(http.StatusAccepted)
		wantMessage(t, batch, "Runs batch ingested")
		p.Do(http.MethodPost, prefix+"/runs/batch", object{"patch": []any{}}).Want(http.StatusAccepted)
	}
	for _, path := range []string{"/v2/runs/batch", "/api/v2/runs/batch"} {
		p.Do(http.MethodPost, path, object{"post": []any{devservertest.RootRun()}}).Want(http.StatusAccepted)
	}
	devservertest.NewUpload(t).Add("post", devservertest.RootRun()).Send(p).Want(http.StatusAccepted)
	p.Do(http.MethodPut, "/runs/batch", object{}).Want(http.StatusMethodNotAllowed)
}

func wantMessage(t *testing.T, r devservertest.Reply, message string) {
	t.Helper()
	devservertest.Same(t, "message", message, devservertest.Into[map[string]string](r)["message"])
}

// TestIngestRefuses logs invalid runs, and expects errors that say which one is invalid and why.
func TestIngestRefuses(t *testing.T) {
	t.Parallel()
	const parent = "dddddddd-4444-4000-8000-000000000000"
	for name, test := range map[string]struct {
		run    object
		status int
		texts  []string
	}{
		"a type that is none": {
			object{"id": runA, "run_type": "agent"}, http.StatusUnprocessableEntity,
			[]string{"Unprocessable entity: ", `"agent"`, "tool, chain, llm", runA},
		},
		"inputs that are a text": {
			object{"id": runA, "inputs": "hi"}, http.StatusUnprocessableEntity, []string{"inputs is a string", runA},
		},
		"a time that is none": {
			object{"id": runA, "start_time": "yesterday"}, http.StatusUnprocessableEntity, []string{"start_time", "yesterday", runA},
		},
		"a parent that is no id": {
			object{"id": runA, "parent_run_id": "above"}, http.StatusUnprocessableEntity, []string{"parent_run_id", "above", runA},
		},
		"a project that doesn't exist": {
			object{"id": runA, "session_id": runB}, http.StatusUnprocessableEntity, []string{"session_id " + runB, "session_name", runA},
		},
		"a long project name": {
			object{"id": runA, "session_name": strings.Repeat("a", limits.ProjectName+1)}, http.StatusUnprocessableEntity, []string{"session_name has 16385 bytes, but at most 16384", runA},
		},
		"a trace without an order": {
			object{"id": runA, "trace_id": runB, "parent_run_id": runB}, http.StatusUnprocessableEntity, []string{"dotted_order", runA},
		},
		"an order without a trace": {
			object{"id": runA, "dotted_order": orderOf(runA)}, http.StatusUnprocessableEntity, []string{"trace_id", runA},
		},
		"an order with milliseconds": {
			object{"id": runA, "trace_id": runA, "dotted_order": "20260502T100000.111Z" + runA}, http.StatusBadRequest,
			[]string{"Bad request: invalid 'dotted_order': invalid timestamp in dotted_order", runA},
		},
		"a child with the order of a root": {
			object{"id": runA, "trace_id": runA, "parent_run_id": parent, "dotted_order": orderOf(runA)}, http.StatusBadRequest,
			[]string{"dotted_order must contain at least two parts for child runs", "run_id:" + runA, "parent_run_id:" + parent},
		},
		"another trace": {
			object{"id": runA, "trace_id": runB, "dotted_order": orderOf(runA)}, http.StatusBadRequest,
			[]string{"trace_id " + runB + " does not match first part of dotted_order"},
		},
		"another run": {
			object{"id": runA, "trace_id": runB, "dotted_order": orderOf(runB)}, http.StatusBadRequest, []string{"run_id:" + runA},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := devservertest.New(t, devserver.Config{})
			good := devservertest.RootRun()
			batch := p.Do(http.MethodPost, "/runs/batch", object{"post": []any{good, test.run}}).Want(test.status)
			text := devservertest.Into[map[string]string](batch)["error"]
			for _, want := range test.texts {
				if !strings.Contains(text, want) {
					t.Errorf("error %q doesn't contain %q", text, want)
				}
			}
			devservertest.NewUpload(t).Add("post", good).Add("post", test.run).Send(p).Want(test.status)
			// As in the service, nothing of a refused request is kept: clients send all of it again.
			p.Do(http.MethodGet, "/runs/"+good["id"].(string), nil).Want(http.StatusNotFound)
		})
	}
}

// TestIngestRefusesBodies sends bodies that can't be parsed: what package ingest refuses, as HTTP.
func TestIngestRefusesBodies(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	for name, test := range map[string]struct {
		path, body, contentType, encoding string
		status                            int
		text                              string
	}{
		"no JSON":                {path: "/runs", body: "{", status: http.StatusUnprocessableEntity, text: "the body is not a run"},
		"a form that is cut off": {path: "/runs/multipart", body: "--b\r\n", contentType: "multipart/form-data; boundary=b", status: http.StatusUnprocessableEntity, text: "error reading multipart data: multipart: NextPart: EOF"},
		"gzip that is cut off":   {path: "/runs/batch", body: "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\xab", encoding: "gzip", status: http.StatusUnprocessableEntity, text: "error reading the body: unexpected EOF"},
		"an unknown compression": {path: "/runs", body: "{}", encoding: "br", status: http.StatusUnsupportedMediaType, text: `Content-Encoding "br"`},
	} {
		as := p.As("X-Tenant-Id", devservertest.WorkspaceA, "Content-Type", test.contentType, "Content-Encoding", test.encoding)
		r := as.Do(http.MethodPost, test.path, test.body).Want(test.status)
		if text := devservertest.Into[map[string]string](r)["error"]; !strings.Contains(text, test.text) {
			t.Errorf("%s: error %q doesn't contain %q", name, text, test.text)
		}
	}
}

// TestIngestKeys checks that with keys, logging runs needs one, and the requests with which clients begin don't.
func TestIngestKeys(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{Keys: []devserver.Key{
		{Value: "key-a", Workspaces: []string{devservertest.WorkspaceA}}, {Value: "key-b", Workspaces: []string{devservertest.WorkspaceB}},
	}})
	nobody, a, b := p.As(), p.As("X-Api-Key", "key-a"), p.As("Authorization", "Bearer key-b")
	nobody.Do(http.MethodGet, "/info", nil).Want(http.StatusOK)
	nobody.Do(http.MethodPost, "/runs", object{"id": runA}).Want(http.StatusUnauthorized)
	a.Do(http.MethodPost, "/runs", object{"id": runA, "name": "of a"}).Want(http.StatusAccepted)
	b.Do(http.MethodGet, "/runs/"+runA, nil).Want(http.StatusNotFound)
	// The same ID is another run in another workspace.
	b.Do(http.MethodPost, "/runs", object{"id": runA, "name": "of b"}).Want(http.StatusAccepted)
	if run := devservertest.Get[object](a, "/runs/"+runA); run["name"] != "of a" {
		t.Errorf("name of the run = %v, want it unchanged by another workspace", run["name"])
	}
}
