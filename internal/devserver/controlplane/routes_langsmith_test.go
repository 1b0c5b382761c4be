package controlplane_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// TestExtendedEndpointsAreTheProducts checks that endpoints of the product don't exist in the neutral dialect.
func TestExtendedEndpointsAreTheProducts(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	d := p.Create(devservertest.ImageRequest("chat"))
	path, revision := "/v2/deployments/"+d.ID, *d.LatestRevisionID
	for request, want := range map[string]int{
		"DELETE /v2/deployments?deployment_ids=" + d.ID:                                          http.StatusMethodNotAllowed,
		"POST " + path + "/revisions":                                                            http.StatusMethodNotAllowed,
		"POST " + path + "/revisions/" + revision + "/interruption":                              http.StatusNotFound,
		"POST " + path + "/push-token":                                                           http.StatusNotFound,
		"POST " + path + "/upload-url":                                                           http.StatusNotFound,
		"GET /v2/deployment-logs?deployment_id=" + d.ID:                                          http.StatusNotFound,
		"POST /v1/projects/" + d.ID + "/deploy_logs":                                             http.StatusNotFound,
		"POST /v1/projects/" + d.ID + "/revisions/" + revision + "/build_logs":                   http.StatusNotFound,
		"POST /v1/projects/" + d.ID + "/revisions/" + revision + "/deploy_logs":                  http.StatusNotFound,
		"DELETE " + path + "?force=true":                                                         http.StatusNoContent, // Unknown parameters are ignored.
		"DELETE /v2/deployments/" + devservertest.WorkspaceA + "?delete_tracing_project=neither": http.StatusUnprocessableEntity,
	} {
		method, at, _ := strings.Cut(request, " ")
		if got := p.Do(method, at, object{}).Status; got != want {
			t.Errorf("%s: status %d, want %d", request, got, want)
		}
	}
}

func TestCreateRevision(t *testing.T) {
	t.Parallel()
	p := newProduct(t, devserver.Config{Rollout: 20 * time.Second})
	d := p.object(http.MethodPost, "/v2/deployments", docker("chat", object{
		"secrets": []any{object{"name": "A", "value": "1"}}, "display_name": "Chat",
	}), http.StatusCreated)
	path := "/v2/deployments/" + d["id"].(string)
	for name, tc := range map[string]struct {
		request object
		image   string
	}{
		"of the same":      {object{}, "registry.example:5000/team/agent:1.0"},
		"of another image": {object{"source_revision_config": object{"image_uri": "agent:2"}}, "agent:2"},
	} {
		made := p.object(http.MethodPost, path+"/revisions", tc.request, http.StatusCreated)
		want := object{"id": p.get(path)["latest_revision_id"], "status": "CREATING", "source": "external_docker"}
		devservertest.Same(t, name, want, some(made, "id", "status", "source"))
		if image := made["source_revision_config"].(object)["image_uri"]; image != tc.image {
			t.Errorf("%s: image_uri = %v, want %s", name, image, tc.image)
		}
		p.object(http.MethodPatch, path, object{
			"source_revision_config": object{"image_uri": "registry.example:5000/team/agent:1.0"},
		}, http.StatusOK)
	}
	empty := p.object(http.MethodPost, "/v2/deployments", internal("empty", "internal_docker"), http.StatusCreated)["id"].(string)
	p.say(http.MethodPost, "/v2/deployments/"+empty+"/revisions", object{}, http.StatusBadRequest).
		WantDetail("Deployment ID " + empty + " has no source to make a revision from: set 'source_revision_config'.")
	// Other fields of a patch are ignored.
	p.say(http.MethodPost, path+"/revisions", object{"display_name": "Other", "name": "other"}, http.StatusCreated)
	if name := p.get(path)["display_name"]; name != nil {
		t.Errorf("display_name after creating a revision = %v, want null", name)
	}
	p.say(http.MethodPost, path+"/revisions", object{"source_revision_config": object{"repo_ref": "main"}}, http.StatusBadRequest)
	p.say(http.MethodPost, "/v2/deployments/"+devservertest.WorkspaceA+"/revisions", object{}, http.StatusNotFound)
	p.say(http.MethodDelete, path, nil, http.StatusNoContent)
	p.say(http.MethodPost, path+"/revisions", object{}, http.StatusBadRequest)
}

func TestInterruptRevision(t *testing.T) {
	t.Parallel()
	p := newProduct(t, devserver.Config{Rollout: 20 * time.Second})
	d := p.object(http.MethodPost, "/v2/deployments", docker("chat"), http.StatusCreated)
	path := "/v2/deployments/" + d["id"].(string)
	revision := path + "/revisions/" + d["latest_revision_id"].(string)
	p.Clock.Advance(7 * time.Second)
	if r := p.say(http.MethodPost, revision+"/interruption", nil, http.StatusNoContent); len(r.Body) > 0 {
		t.Errorf("the response with status 204 has a body: %s", r.Body)
	}
	p.Clock.Advance(time.Hour)
	want := object{"status": "INTERRUPTED", "updated_at": "2026-05-02T10:00:07.000000Z"}
	devservertest.Same(t, "interrupted", want, some(p.get(revision), "status", "updated_at"))
	if active := p.get(path)["active_revision_id"]; active != nil {
		t.Errorf("active revision after the interruption = %v, want none", active)
	}
	p.say(http.MethodPost, revision+"/interruption", nil, http.StatusBadRequest)
	p.say(http.MethodPost, path+"/revisions/"+devservertest.WorkspaceA+"/interruption", nil, http.StatusNotFound)
	lines := p.get(revision + "/logs?type=deploy")["logs"].([]any)
	if last := lines[len(lines)-1].(object)["message"]; len(lines) != 4 || last != "Interrupted." {
		t.Errorf("the log has the last line %v and %d lines, want Interrupted. and 4", last, len(lines))
	}
	p.object(http.MethodPost, path+"/revisions", object{}, http.StatusCreated)
	p.Clock.Advance(time.Hour)
	devservertest.Same(t, "status of the next revision", "DEPLOYED", p.latest(path))
}

func TestBulkDelete(t *testing.T) {
	t.Parallel()
	p := newProduct(t, devserver.Config{Rollout: time.Minute})
	ids := []string{}
	for _, name := range []string{"a", "b", "c"} {
		d := p.object(http.MethodPost, "/v2/deployments", docker(name), http.StatusCreated)
		ids = append(ids, d["id"].(string))
	}
	for _, tc := range []struct {
		what   string
		ids    []string
		status int
	}{
		{"none", nil, http.StatusUnprocessableEntity},
		{"no id", []string{"a"}, http.StatusUnprocessableEntity},
		{"too many", make([]string, 101), http.StatusUnprocessableEntity},
		{"two", ids[:2], http.StatusOK},
		{"one of them for the second time", ids[1:], http.StatusMultiStatus},
		{"only gone ones", ids, http.StatusNotFound},
		{"an unknown one", []string{devservertest.WorkspaceA}, http.StatusNotFound},
	} {
		query := url.Values{"deployment_ids": tc.ids}.Encode()
		if got := p.Do(http.MethodDelete, "/v2/deployments?"+query, nil).Status; got != tc.status {
			t.Errorf("%s: status %d, want %d", tc.what, got, tc.status)
		}
	}
	for _, id := range ids {
		devservertest.Same(t, "status of "+id, "AWAITING_DELETE", p.get("/v2/deployments/" + id)["status"])
	}
}

// TestForcedDelete checks that force finishes a deletion that is in progress, doesn't start one, and keeps the name.
func TestForcedDelete(t *testing.T) {
	t.Parallel()
	p := newProduct(t, devserver.Config{Rollout: time.Hour})
	d := p.object(http.MethodPost, "/v2/deployments", docker("chat"), http.StatusCreated)
	path := "/v2/deployments/" + d["id"].(string)
	p.say(http.MethodDelete, path+"?force=true&delete_tracing_project=true", nil, http.StatusBadRequest)
	devservertest.Same(t, "status", "AWAITING_DATABASE", p.get(path)["status"])
	p.say(http.MethodDelete, path+"?delete_tracing_project=true", nil, http.StatusNoContent)
	p.say(http.MethodDelete, path, nil, http.StatusNotFound)
	p.say(http.MethodDelete, path+"?force=true", nil, http.StatusNoContent)
	p.say(http.MethodGet, path, nil, http.StatusNotFound)
	p.say(http.MethodDelete, path+"?force=true", nil, http.StatusNotFound)
	p.say(http.MethodPost, "/v2/deployments", docker("chat"), http.StatusConflict).
		WantDetail("The name 'chat' can't be used again: its deployment was deleted with 'force'.")
	p.object(http.MethodPost, "/v2/deployments", docker("chat-2"), http.StatusCreated)
}

func TestUploadEndpoints(t *testing.T) {
	t.Parallel()
	p := newProduct(t, devserver.Config{Registry: "registry.example:5000"})
	paths := map[string]string{}
	for _, source := range []string{"internal_docker", "internal_source"} {
		d := p.object(http.MethodPost, "/v2/deployments", internal(strings.ReplaceAll(source, "_", "-"), source), http.StatusCreated)
		paths[source] = "/v2/deployments/" + d["id"].(string)
	}
	for endpoint, tc := range map[string]struct {
		source, other, refusal string
		keys                   []string
	}{
		"/push-token": {
			"internal_docker", "internal_source", "push token is only available for 'internal_docker' source deployments",
			[]string{"token", "registry_url"},
		},
		"/upload-url": {
			"internal_source", "internal_docker", "upload url is only available for 'internal_source' source deployments",
			[]string{"upload_url", "object_path"},
		},
	} {
		given := p.object(http.MethodPost, paths[tc.source]+endpoint, nil, http.StatusOK)
		for _, key := range tc.keys {
			if text, is := given[key].(string); !is || text == "" {
				t.Errorf("%s: %s = %v, want a text", endpoint, key, given[key])
			}
		}
		p.say(http.MethodPost, paths[tc.other]+endpoint, nil, http.StatusBadRequest).WantDetail(tc.refusal)
		p.say(http.MethodPost, "/v2/deployments/"+devservertest.WorkspaceA+endpoint, nil, http.StatusNotFound)
	}
	token := p.object(http.MethodPost, paths["internal_docker"]+"/push-token", nil, http.StatusOK)
	if want := "registry.example:5000/" + paths["internal_docker"][len("/v2/deployments/"):]; token["registry_url"] != want {
		t.Errorf("registry_url = %v, want %s", token["registry_url"], want)
	}
	none := newProduct(t, devserver.Config{})
	image := none.object(http.MethodPost, "/v2/deployments", internal("image", "internal_docker"), http.StatusCreated)["id"].(string)
	none.say(http.MethodPost, "/v2/deployments/"+image+"/push-token", nil, http.StatusBadRequest)
}

// uploadURL requests a URL for an upload, and returns its path and where the archive is then.
func (p product) uploadURL(deployment string) (at, archive string) {
	p.T.Helper()
	given := p.object(http.MethodPost, deployment+"/upload-url", nil, http.StatusOK)
	at, below := strings.CutPrefix(given["upload_url"].(string), p.Web.URL)
	if !below {
		p.T.Fatalf("upload_url = %v, want one below %s", given["upload_url"], p.Web.URL)
	}
	return at, given["object_path"].(string)
}

// TestUpload uploads archives, and builds deployments from them.
func TestUpload(t *testing.T) {
	t.Parallel()
	p := newProduct(t, devserver.Config{Keys: []devserver.Key{{Value: "sesame", Workspaces: []string{devservertest.WorkspaceA, devservertest.WorkspaceB}}}})
	stranger := product{p.As()}
	p.plane = p.As("X-Api-Key", "sesame", "X-Tenant-Id", devservertest.WorkspaceA)
	made := func(p product) string {
		return "/v2/deployments/" + p.object(http.MethodPost, "/v2/deployments", internal("chat", "internal_source"), http.StatusCreated)["id"].(string)
	}
	build := func(p product, path, archive, status, log string) {
		t.Helper()
		p.object(http.MethodPatch, path, object{
			"revision_source": "internal_source", "tracked_packages": []any{"langgraph:1.0.0", "deepagents:0.2.1"},
			"source_revision_config": object{"source_tarball_path": archive},
		}, http.StatusOK)
		revision := p.get(path + "/revisions")["resources"].([]any)[0].(object)
		want := object{"status": status, "source": "internal_source", "source_revision_config": object{
			"image_uri": nil, "langgraph_config_path": nil, "repo_commit_sha": nil, "repo_ref": nil, "source_tarball_path": archive,
			"tracked_packages": []any{"langgraph:1.0.0", "deepagents:0.2.1"}, "deepagents_version": "0.2.1",
		}}
		devservertest.Same(t, "revision from "+archive, want, some(revision, "status", "source", "source_revision_config"))
		lines := p.get(path + "/revisions/" + revision["id"].(string) + "/logs?type=build&order=desc")["logs"].([]any)
		devservertest.Same(t, "last line of the build", log, lines[0].(object)["message"])
	}
	path := made(p)
	at, archive := p.uploadURL(path)
	build(p, path, archive, "BUILD_FAILED", "Can't fetch "+archive+": nothing was uploaded there.")
	if below, _ := p.uploadURL("/api-host" + path); !strings.HasPrefix(below, "/api-host/") {
		t.Errorf("requested below /api-host, the upload URL is %s", below)
	}
	other, _ := p.uploadURL(path)
	_, otherToken, _ := strings.Cut(other, "?")
	_, token, _ := strings.Cut(at, "?")
	put := func(at string, size int64) int {
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPut, "http://localhost"+at, io.LimitReader(zeros{}, size))
		p.ServeHTTP(w, r)
		return w.Code
	}
	const most = 200 << 20
	for _, tc := range []struct {
		what, at string
		size     int64
		status   int
	}{
		{"without a token", strings.TrimSuffix(at, "?"+token), 1, http.StatusForbidden},
		{"with the token of another upload", strings.Replace(at, token, otherToken, 1), 1, http.StatusForbidden},
		{"an unknown archive", "/uploads/" + path[len("/v2/deployments/"):] + "/a.tar.gz?" + token, 1, http.StatusNotFound},
		{"one byte too many", at, most + 1, http.StatusRequestEntityTooLarge},
		{"as large as can be", other, most, http.StatusOK},
	} {
		if got := put(tc.at, tc.size); got != tc.status {
			t.Errorf("%s: status %d, want %d", tc.what, got, tc.status)
		}
	}
	build(p, path, archive, "BUILD_FAILED", "Can't fetch "+archive+": nothing was uploaded there.")
	p.Clock.Advance(time.Hour - time.Second)
	stranger.say(http.MethodPut, at, "an archive", http.StatusOK)
	build(p, path, archive, "DEPLOYED", "Building the revision.")
	p.Clock.Advance(time.Second)
	stranger.say(http.MethodPut, at, "an archive", http.StatusForbidden)
	b := product{p.As("X-Api-Key", "sesame", "X-Tenant-Id", devservertest.WorkspaceB)}
	build(b, made(b), archive, "BUILD_FAILED", "Can't fetch "+archive+": nothing was uploaded there.")

	at, _ = p.uploadURL(path)
	p.say(http.MethodDelete, path, nil, http.StatusNoContent)
	p.Clock.Advance(time.Second)
	p.say(http.MethodGet, path, nil, http.StatusNotFound)
	stranger.say(http.MethodPut, at, "an archive", http.StatusNotFound)
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

// TestRevisionSource checks that a revision has the source of its deployment.
func TestRevisionSource(t *testing.T) {
	t.Parallel()
	p := newProduct(t, devserver.Config{})
	id := p.object(http.MethodPost, "/v2/deployments", internal("chat", "internal_docker"), http.StatusCreated)["id"].(string)
	for source, status := range map[string][2]int{
		"internal_docker": {http.StatusOK, http.StatusCreated}, "internal_source": {http.StatusBadRequest, http.StatusBadRequest},
		"elsewhere": {http.StatusUnprocessableEntity, http.StatusUnprocessableEntity},
	} {
		body := object{"revision_source": source, "source_revision_config": object{"image_uri": "example/chat:1"}}
		p.say(http.MethodPatch, "/v2/deployments/"+id, body, status[0])
		p.say(http.MethodPost, "/v2/deployments/"+id+"/revisions", body, status[1])
	}
}

// TestGraphBeforeTheUpload checks that settings for the first revision are kept until the upload makes it.
func TestGraphBeforeTheUpload(t *testing.T) {
	t.Parallel()
	p := newProduct(t, devserver.Config{})
	d := p.object(http.MethodPost, "/v2/deployments", internal("chat", "internal_source", object{
		"source_revision_config": object{"langgraph_config_path": "a.json"},
	}), http.StatusCreated)
	path := "/v2/deployments/" + d["id"].(string)
	for _, step := range []struct {
		patch object
		graph string
		made  bool
	}{
		{object{}, "a.json", false},
		{object{"langgraph_config_path": "b.json"}, "b.json", false},
		{object{"source_tarball_path": "a.tar.gz"}, "b.json", true}, // Whether the build fails or not.
	} {
		after := p.object(http.MethodPatch, path, object{"source_revision_config": step.patch}, http.StatusOK)
		graph, made := after["source_revision_config"].(object)["langgraph_config_path"], after["latest_revision_id"] != nil
		if graph != step.graph || made != step.made {
			t.Errorf("after %v: graph %v, made a revision: %v; want %v, %v", step.patch, graph, made, step.graph, step.made)
		}
	}
}

// TestProductLogs_revisions reads the lines of all revisions in the order of time, unless one revision is requested.
func TestProductLogs_revisions(t *testing.T) {
	t.Parallel()
	p := newProduct(t, devserver.Config{})
	p.WithSeed(devservertest.WorkspaceA)
	d := p.object(http.MethodPost, "/v2/deployments", p.github("chat"), http.StatusCreated)
	id := d["id"].(string)
	path, first := "/v2/deployment-logs?deployment_id="+id, d["latest_revision_id"].(string)
	p.Clock.Advance(time.Hour)
	p.object(http.MethodPost, "/v2/deployments/"+id+"/revisions", object{}, http.StatusCreated)
	p.Clock.Advance(time.Hour)
	all, firsts := p.get(path)["items"].([]any), p.get(path + "&revision_id=" + first)["items"].([]any)
	if len(all) != 6 || len(firsts) != 3 {
		t.Fatalf("%d lines, %d of the first revision; want 6 and 3", len(all), len(firsts))
	}
	devservertest.Same(t, "oldest lines", firsts, all[:3])
	var read []any
	for cursor := ""; ; {
		page := p.get(path + "&page_size=2" + cursor)
		read = append(read, page["items"].([]any)...)
		if page["next_cursor"] == nil {
			break
		}
		cursor = "&cursor=" + page["next_cursor"].(string)
	}
	devservertest.Same(t, "pages", all, read)
	from := all[3].(map[string]any)["timestamp"].(string)
	if got := p.get(path + "&start_time=" + from)["items"].([]any); !cmp.Equal(got, all[3:]) {
		t.Errorf("lines from %s = %v, want %v", from, got, all[3:])
	}
}

// TestProductLogs checks that all endpoints for logs return the same lines.
func TestProductLogs(t *testing.T) {
	t.Parallel()
	p := newProduct(t, devserver.Config{})
	p.WithSeed(devservertest.WorkspaceA)
	d := p.object(http.MethodPost, "/v2/deployments", p.github("chat"), http.StatusCreated)
	id, revision := d["id"].(string), d["latest_revision_id"].(string)
	logs := "/v2/deployments/" + id + "/revisions/" + revision + "/logs"
	projects := "/v1/projects/" + id
	build, deploy := p.get(logs + "?type=build")["logs"], p.get(logs + "?type=deploy")["logs"]
	if len(build.([]any)) != 3 || len(deploy.([]any)) != 3 {
		t.Fatalf("logs = %v, %v; want 3 lines each", build, deploy)
	}
	for what, tc := range map[string]struct{ got, want any }{
		"build":  {p.object(http.MethodPost, projects+"/revisions/"+revision+"/build_logs", object{}, 200)["logs"], build},
		"deploy": {p.object(http.MethodPost, projects+"/revisions/"+revision+"/deploy_logs", object{}, 200)["logs"], deploy},
		"newest": {p.object(http.MethodPost, projects+"/deploy_logs", object{"limit": 50, "order": "asc"}, 200)["logs"], deploy},
		"BUILD":  {p.get("/v2/deployment-logs?log_type=BUILD&deployment_id=" + id)["items"], build},
		"DEPLOY": {p.get("/v2/deployment-logs?deployment_id=" + id + "&revision_id=" + revision)["items"], deploy},
	} {
		devservertest.Same(t, what, tc.want, tc.got)
	}

	tail := p.object(http.MethodPost, projects+"/deploy_logs", object{"limit": 2, "order": "desc"}, 200)
	rest := p.object(http.MethodPost, projects+"/deploy_logs", object{"limit": 2, "order": "desc", "offset": tail["next_offset"]}, 200)
	if whole := append(tail["logs"].([]any), rest["logs"].([]any)...); len(whole) != 3 || rest["next_offset"] != nil {
		t.Errorf("descending pages = %v, then %v; want 3 lines and then no offset", tail, rest)
	}
	page := p.get("/v2/deployment-logs?page_size=2&sort_order=desc&deployment_id=" + id)
	next := p.get("/v2/deployment-logs?page_size=2&sort_order=desc&deployment_id=" + id + "&cursor=" + page["next_cursor"].(string))
	if whole := append(page["items"].([]any), next["items"].([]any)...); len(whole) != 3 || next["next_cursor"] != nil {
		t.Errorf("descending pages = %v, then %v; want 3 lines and then no cursor", page, next)
	}

	waiting := p.object(http.MethodPost, "/v2/deployments", internal("waiting", "internal_source"), http.StatusCreated)["id"].(string)
	if lines := p.object(http.MethodPost, "/v1/projects/"+waiting+"/deploy_logs", object{}, 200)["logs"].([]any); len(lines) > 0 {
		t.Errorf("logs without a revision = %v, want none", lines)
	}
	p.say(http.MethodPost, "/v1/projects/"+devservertest.WorkspaceA+"/deploy_logs", object{}, http.StatusNotFound)
	p.say(http.MethodPost, "/v1/projects/a/deploy_logs", object{}, http.StatusUnprocessableEntity)
	for _, refused := range []struct {
		request object
		want    []string
	}{
		{object{"limit": 0, "order": "up", "offset": "x"}, []string{"order enum"}},
		{object{"limit": 0, "offset": "x", "start_time": "noon"}, []string{"start_time datetime_parsing", "limit greater_than_equal", "offset value_error"}},
		{object{"limit": 1001, "offset": "-1"}, []string{"limit less_than_equal", "offset value_error"}},
		{object{"limit": "all"}, []string{"limit int_type"}},
	} {
		r := p.say(http.MethodPost, projects+"/deploy_logs", refused.request, http.StatusUnprocessableEntity)
		devservertest.Same(t, fmt.Sprint(refused.request), refused.want, devservertest.Problems(r))
	}
	for _, query := range []string{"", "deployment_id=a", "log_type=build&deployment_id=" + id, "page_size=101&deployment_id=" + id} {
		p.say(http.MethodGet, "/v2/deployment-logs?"+query, nil, http.StatusUnprocessableEntity)
	}
}
