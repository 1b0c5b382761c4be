package tracing_test

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// newDataset creates a dataset, and returns its ID.
func newDataset(p *plane, name string) string {
	p.T.Helper()
	id, _ := devservertest.Into[object](p.Do(http.MethodPost, "/datasets", object{"name": name}).Want(http.StatusOK))["id"].(string)
	return id
}

// exampleForm is the body of an upload: names of parts, each followed by its content.
func exampleForm(t *testing.T, parts ...string) (body, contentType string) {
	t.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	for i := 0; i < len(parts); i += 2 {
		devservertest.Must(t, w.WriteField(parts[i], parts[i+1]))
	}
	devservertest.Must(t, w.Close())
	return form.String(), w.FormDataContentType()
}

// uploadExamples sends a form.
func uploadExamples(p *plane, method, dataset string, parts ...string) devservertest.Reply {
	p.T.Helper()
	body, contentType := exampleForm(p.T, parts...)
	return p.As("X-Tenant-Id", devservertest.WorkspaceA, "Content-Type", contentType).Do(method, "/v1/platform/datasets/"+dataset+"/examples", body)
}

// TestExamples_pages reads the examples of a dataset in pages, with and without a condition that only the server's Go code can check.
func TestExamples_pages(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	dataset, other := newDataset(p, "many"), newDataset(p, "other")
	var parts []string
	for i := range 25 {
		id := uuid.NewString()
		parts = append(parts, id+".inputs", fmt.Sprintf(`{"n": %d}`, i), id, fmt.Sprintf(`{"split": ["s%d"], "metadata": {"even": %t}}`, i%5, i%2 == 0))
	}
	uploadExamples(p, http.MethodPost, dataset, parts...).Want(http.StatusCreated)
	uploadExamples(p, http.MethodPost, other, uuid.NewString(), "{}").Want(http.StatusCreated)
	for query, want := range map[string][]int{
		"":                                    {24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0},
		"&splits=s1&splits=s2":                {22, 21, 17, 16, 12, 11, 7, 6, 2, 1},
		"&splits=s1&metadata={\"even\":true}": {16, 6},
		"&splits=base":                        nil,
	} {
		var got []int
		for offset := 0; ; offset += 4 {
			page := devservertest.Get[[]object](p, fmt.Sprintf("/examples?dataset=%s&limit=4&offset=%d%s", dataset, offset, query))
			for _, e := range page {
				n, _ := e["inputs"].(object)["n"].(float64)
				got = append(got, int(n))
			}
			if len(page) < 4 {
				break
			}
		}
		devservertest.Same(t, fmt.Sprintf("%q", query), want, got)
	}
}

// TestExamples_moved moves an example to another dataset, and deletes the dataset that it was in.
func TestExamples_moved(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	from, to, id := newDataset(p, "from"), newDataset(p, "to"), uuid.NewString()
	uploadExamples(p, http.MethodPost, from, id, "{}", id+".inputs", `{"a": 1}`).Want(http.StatusCreated)
	uploadExamples(p, http.MethodPatch, to, id, "{}", id+".outputs", `{"b": 2}`).Want(http.StatusCreated)
	counts := map[any]any{}
	for _, d := range devservertest.Get[[]object](p, "/datasets") {
		counts[d["name"]] = d["example_count"]
	}
	devservertest.Same(t, "examples", map[any]any{"from": 0.0, "to": 1.0}, counts)
	project := createSession(p, "", object{"name": "experiment", "reference_dataset_id": from})
	p.Do(http.MethodDelete, "/datasets/"+from, nil).Want(http.StatusOK)
	if e := devservertest.Get[object](p, "/examples/"+id); e["dataset_id"] != to || e["inputs"].(object)["a"] != 1.0 || e["outputs"].(object)["b"] != 2.0 {
		t.Errorf("example = %v, want it in the other dataset, with its inputs and new outputs", e)
	}
	if got := devservertest.Get[object](p, "/sessions/"+project["id"].(string)); got["reference_dataset_id"] != from {
		t.Errorf("experiment of the deleted dataset = %v, want it unchanged", got)
	}
	p.Do(http.MethodDelete, "/datasets/"+to, nil).Want(http.StatusOK)
	p.Do(http.MethodGet, "/examples/"+id, nil).Want(http.StatusNotFound)
}

// TestExamples_refused sends what the server refuses, and checks that nothing of it is stored.
func TestExamples_refused(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	dataset, id := newDataset(p, "d"), uuid.NewString()
	good := []string{uuid.NewString(), "{}"}
	for name, tc := range map[string]struct {
		method string
		parts  []string
		status int
		want   string
	}{
		"inputs that are a list":    {"POST", []string{id, "{}", id + ".inputs", "[1]"}, 422, "example " + id + ": inputs: Input should be a valid dictionary"},
		"no JSON":                   {"POST", []string{id, "{"}, 422, `part "` + id + `" is not an example, which is a JSON object: unexpected end of JSON input`},
		"null":                      {"POST", []string{id, "null"}, 422, `part "` + id + `" is not an example`},
		"inputs without JSON":       {"POST", []string{id + ".inputs", "{"}, 422, "example " + id},
		"deep inputs":               {"POST", []string{id + ".inputs", strings.Repeat(`{"a":`, 20000) + "1" + strings.Repeat("}", 20000)}, 422, "nested more than 9900 deep"},
		"an attachment":             {"POST", []string{id + ".attachment.a", "x"}, 422, "doesn't support attachments"},
		"no ID":                     {"POST", []string{"x.inputs", "{}"}, 422, `a part is named "x.inputs"`},
		"contents of a run":         {"POST", []string{id, `{"use_source_run_io": true}`}, 422, "'use_source_run_io' is not supported"},
		"attachments of a run":      {"POST", []string{id, `{"use_source_run_attachments": ["a"]}`}, 422, "not supported"},
		"a change of a missing one": {"PATCH", []string{id, "{}"}, 404, " not found"},
	} {
		reply := uploadExamples(p, tc.method, dataset, append(good, tc.parts...)...).Want(tc.status)
		if !strings.Contains(string(reply.Body), tc.want) && !strings.Contains(string(reply.Body), strings.ReplaceAll(tc.want, `"`, `\"`)) {
			t.Errorf("%s: %s, want %s", name, reply.Body, tc.want)
		}
	}
	for path, body := range map[string]object{
		"/datasets name":       {"name": ""},
		"/datasets data_type":  {"name": "x", "data_type": "csv"},
		"/datasets metadata":   {"name": "x", "extra": object{"metadata": []any{}}},
		"/datasets id":         {"name": "x", "id": "1"},
		"/examples dataset_id": {"inputs": object{}},
		"/examples inputs":     {"dataset_id": dataset, "inputs": 1},
	} {
		path, field, _ := strings.Cut(path, " ")
		if reply := p.Do(http.MethodPost, path, body).Want(http.StatusUnprocessableEntity); !strings.Contains(string(reply.Body), `"`+field+`"`) {
			t.Errorf("%s without a good %s: %s", path, field, reply.Body)
		}
	}
	p.Do(http.MethodPost, "/datasets", object{"name": "y", "id": dataset}).Want(http.StatusConflict).WantDetail("Dataset with this ID already exists.")
	for _, query := range []string{"/examples?filter=exists(metadata,+%22a%22)", "/examples?order=random", "/datasets?sort_by=name"} {
		p.Do(http.MethodGet, query, nil).Want(http.StatusUnprocessableEntity)
	}
	if got := devservertest.Get[[]object](p, "/examples?dataset="+dataset); len(got) != 0 {
		t.Errorf("examples = %v, want none", got)
	}
	if got := devservertest.Get[[]object](p, "/datasets"); len(got) != 1 {
		t.Errorf("datasets = %v, want one", got)
	}
}

// TestDatasets_isolated checks that workspaces can have datasets and examples with the same names and IDs, and don't see each other's.
func TestDatasets_isolated(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	id := uuid.NewString()
	workspaces := map[string]*plane{"a": p, "b": p.As("X-Tenant-Id", devservertest.WorkspaceB)}
	for name, own := range workspaces {
		own.Do(http.MethodPost, "/datasets", object{"name": "same", "id": id, "description": name}).Want(http.StatusOK)
		own.Do(http.MethodPost, "/examples", object{"dataset_id": id, "id": id, "inputs": object{"of": name}}).Want(http.StatusOK)
	}
	for name, own := range workspaces {
		if all := devservertest.Get[[]object](own, "/datasets"); len(all) != 1 || all[0]["description"] != name || all[0]["example_count"] != 1.0 {
			t.Errorf("datasets of %s = %v, want its own", name, all)
		}
		for _, path := range []string{"/examples?dataset=" + id, "/examples?id=" + id} {
			if all := devservertest.Get[[]object](own, path); len(all) != 1 || all[0]["inputs"].(object)["of"] != name {
				t.Errorf("%s of %s = %v, want its own", path, name, all)
			}
		}
	}
	workspaces["a"].Do(http.MethodDelete, "/datasets/"+id, nil).Want(http.StatusOK)
	if e := devservertest.Get[object](workspaces["b"], "/examples/"+id); e["inputs"].(object)["of"] != "b" {
		t.Errorf("example = %v, want that of b", e)
	}
}

// TestExperiments finds the runs of a dataset's experiments, and tells experiments from other projects.
func TestExperiments(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	dataset := newDataset(p, "d")
	for _, name := range []string{"first", "second"} {
		createSession(p, "", object{"name": name, "reference_dataset_id": dataset})
		p.Do(http.MethodPost, "/runs", devservertest.RootRun(object{"name": "of " + name, "session_name": name})).Want(http.StatusAccepted)
	}
	p.Do(http.MethodPost, "/runs", devservertest.RootRun(object{"name": "of none", "session_name": "agent"})).Want(http.StatusAccepted)
	query := object{"reference_dataset_id": dataset, "selects": []any{"NAME"}}
	page := devservertest.Into[object](p.Do(http.MethodPost, "/v2/runs/query", query).Want(http.StatusOK))
	want := []string{"of first", "of second"}
	devservertest.Same(t, "runs in API v2", want, names(t, page["items"]))
	found := devservertest.Into[object](p.Do(http.MethodPost, "/runs/query", object{"reference_dataset_id": dataset}).Want(http.StatusOK))
	devservertest.Same(t, "runs", want, names(t, found["runs"]))
	stats := devservertest.Into[object](p.Do(http.MethodPost, "/runs/stats", object{"reference_dataset_id": dataset}).Want(http.StatusOK))
	if stats["run_count"] != 2.0 {
		t.Errorf("statistics = %v, want 2 runs", stats)
	}
	for query, want := range map[string][]string{
		"type=EXPERIMENT": {"second EXPERIMENT", "first EXPERIMENT"}, "type=PROJECT": {"agent PROJECT"}, "type=AGENT": nil,
		"type=PROJECT&type=EXPERIMENT": {"agent PROJECT", "second EXPERIMENT", "first EXPERIMENT"},
	} {
		var got []string
		for _, item := range devservertest.Get[object](p, "/v2/sessions?"+query)["items"].([]any) {
			got = append(got, fmt.Sprint(item.(object)["name"], " ", item.(object)["type"]))
		}
		devservertest.Same(t, query, want, got)
	}
	one := devservertest.Get[object](p, "/datasets/"+dataset)
	if one["session_count"] != 2.0 || one["last_session_start_time"] == nil {
		t.Errorf("dataset = %v, want 2 experiments and the start of the newest", one)
	}
}

// TestExamples_space checks that examples count for the limit of a workspace, which refuses more of them, until they are deleted.
func TestExamples_space(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{MaxBytes: 300 << 10})
	dataset := newDataset(p, "d")
	add := func() int {
		text := strings.Repeat(uuid.NewString(), 1000)
		return p.Do(http.MethodPost, "/examples", object{"dataset_id": dataset, "inputs": object{"text": text}}).Status
	}
	accepted := 0
	for accepted < 100 && add() == http.StatusOK {
		accepted++
	}
	if accepted < 5 || accepted > 20 {
		t.Errorf("%d examples of 36 KiB fit into 300 KiB", accepted)
	}
	if status := add(); status != http.StatusForbidden {
		t.Errorf("status %d in a full workspace, want 403", status)
	}
	p.Do(http.MethodPost, "/runs", devservertest.RootRun()).Want(http.StatusForbidden)
	p.Do(http.MethodDelete, "/datasets/"+dataset, nil).Want(http.StatusOK)
	p.Do(http.MethodPost, "/runs", devservertest.RootRun()).Want(http.StatusAccepted)
}
