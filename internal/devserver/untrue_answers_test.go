package devserver_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// change is a request that changes a deployment.
type change struct {
	method, path string
	body         any
	status       int
}

// changes are requests of each kind; {id} and {revision} stand for those of the deployment "chat".
var changes = map[string]change{
	"POST":     {http.MethodPost, "/v2/deployments", image(api.Neutral, "other"), http.StatusCreated},
	"PATCH":    {http.MethodPatch, "/v2/deployments/{id}", object{"secrets": []any{object{"name": "A", "value": "new"}}}, http.StatusOK},
	"DELETE":   {http.MethodDelete, "/v2/deployments/{id}", nil, http.StatusNoContent},
	"redeploy": {http.MethodPost, "/v2/deployments/{id}/revisions/{revision}/redeploy", nil, http.StatusOK},
}

// faulty is a server with the deployment "chat", and the path to it.
func faulty(t *testing.T) (p *plane, chat object, path func(string) string) {
	t.Helper()
	p = devservertest.New(t, devserver.Config{})
	chat = exchange(p, http.MethodPost, "/v2/deployments", image(api.Neutral, "chat"), http.StatusCreated)
	chat = exchange(p, http.MethodGet, "/v2/deployments/"+chat["id"].(string), nil, http.StatusOK)
	return p, chat, func(path string) string {
		for name, key := range map[string]string{"{id}": "id", "{revision}": "latest_revision_id"} {
			path = strings.ReplaceAll(path, name, chat[key].(string))
		}
		return path
	}
}

// TestSwallow checks that a swallowed change is answered like a stored one, and that nothing is stored.
func TestSwallow(t *testing.T) {
	t.Parallel()
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, chat, path := faulty(t)
			before := resources(p, "/v2/deployments")
			p.Do(http.MethodPost, "/dev/faults", object{"swallow": true, "times": 2}).Want(http.StatusNoContent)
			swallowed := []devservertest.Reply{p.Do(change.method, path(change.path), change.body).Want(change.status)}
			// Reads don't use up the fault. After a stored change, the second one would be refused or show the first.
			devservertest.Same(t, "deployments after the swallowed change", before, resources(p, "/v2/deployments"))
			swallowed = append(swallowed, p.Do(change.method, path(change.path), change.body).Want(change.status))
			if revisions := resources(p, path("/v2/deployments/{id}/revisions")); len(revisions) != 1 {
				t.Errorf("revisions = %v, want the first alone", revisions)
			}
			if seen := p.Requests(); !seen[len(seen)-2].Fault {
				t.Errorf("recorded request = %+v, want a fault", seen[len(seen)-2])
			}
			stored := p.Do(change.method, path(change.path), change.body).Want(change.status)
			if change.status == http.StatusNoContent {
				return
			}
			for _, reply := range append(swallowed, stored) {
				answer := devservertest.Into[object](reply)
				if answer["latest_revision_id"] == chat["latest_revision_id"] || answer["status"] != "AWAITING_DATABASE" && answer["status"] != "READY" {
					t.Errorf("answer = %v, want one that shows the change", answer)
				}
			}
			if after := resources(p, "/v2/deployments"); cmp.Equal(before, after) {
				t.Error("the request without the fault changed nothing")
			}
		})
	}
}

// TestSwallowedRefusal checks that a request that is refused is answered as without the fault.
func TestSwallowedRefusal(t *testing.T) {
	t.Parallel()
	p, _, _ := faulty(t)
	p.Do(http.MethodPost, "/dev/faults", object{"swallow": true, "body": "{}"}).Want(http.StatusNoContent)
	p.Do(http.MethodPost, "/v2/deployments", image(api.Neutral, "chat")).Want(http.StatusConflict)
}

// TestStale checks that a change is stored but answered with the object as it was before.
func TestStale(t *testing.T) {
	t.Parallel()
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, chat, path := faulty(t)
			p.Do(http.MethodPost, "/dev/faults", object{"stale": true}).Want(http.StatusNoContent)
			reply := p.Do(change.method, path(change.path), change.body).Want(change.status)
			armed := devservertest.Get[map[string][]devserver.Fault](p, "/dev/faults")["faults"]
			if name == "POST" || name == "DELETE" { // Their answers show no object that existed before.
				if len(armed) != 1 {
					t.Errorf("armed faults = %v, want the fault", armed)
				}
				return
			}
			devservertest.Same(t, "answer", chat, devservertest.Into[object](reply))
			if seen := p.Requests(); !seen[len(seen)-1].Fault || len(armed) > 0 {
				t.Errorf("recorded request = %+v, want a fault; armed faults = %v, want none", seen[len(seen)-1], armed)
			}
			stored := exchange(p, http.MethodGet, path("/v2/deployments/{id}"), nil, http.StatusOK)
			if stored["latest_revision_id"] == chat["latest_revision_id"] {
				t.Error("the change was not stored")
			}
			p.Do(change.method, path(change.path), change.body).Want(change.status)
		})
	}
}

// TestStaleAnswers checks other objects, and requests that are refused.
func TestStaleAnswers(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{}).WithSeed(devservertest.WorkspaceA)
	path := "/v2/listeners/" + p.Seeded.ListenerID
	before := exchange(p, http.MethodGet, path, nil, http.StatusOK)
	p.Do(http.MethodPost, "/dev/faults", object{"stale": true, "times": 3}).Want(http.StatusNoContent)
	p.Clock.Advance(time.Second)
	patch := object{"version": "1.2.3"}
	devservertest.Same(t, "answer", before, exchange(p, http.MethodPatch, path, patch, http.StatusOK))
	devservertest.Same(t, "version", "1.2.3", exchange(p, http.MethodGet, path, nil, http.StatusOK)["version"])
	p.Do(http.MethodPatch, path, object{"version": 1}).Want(http.StatusUnprocessableEntity)
	p.Do(http.MethodPatch, "/v2/listeners/"+devservertest.WorkspaceA, patch).Want(http.StatusNotFound)
	devservertest.Same(t, "version", "1.2.3", exchange(p, http.MethodPatch, path, patch, http.StatusOK)["version"])
}

// TestBodyFault checks that a body is replaced, whether the change is stored or not.
func TestBodyFault(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		method, path string
		fault        object
		status       int
		done         bool
	}{
		"empty":            {http.MethodPatch, "{id}", object{"body": ""}, http.StatusOK, true},
		"swallowed":        {http.MethodPatch, "{id}", object{"body": `{"status":"ok"}`, "swallow": true}, http.StatusOK, false},
		"no JSON":          {http.MethodPatch, "{id}", object{"body": "null,", "swallow": true}, http.StatusOK, false},
		"deletion":         {http.MethodDelete, "{id}", object{"body": "{}"}, http.StatusOK, true},
		"deletion, empty":  {http.MethodDelete, "{id}", object{"body": ""}, http.StatusNoContent, true},
		"refused deletion": {http.MethodDelete, devservertest.WorkspaceA, object{"body": "{}"}, http.StatusNotFound, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, chat, path := faulty(t)
			p.Do(http.MethodPost, "/dev/faults", test.fault).Want(http.StatusNoContent)
			reply := p.Do(test.method, path("/v2/deployments/"+test.path), object{"secrets": []any{object{"name": "A", "value": "new"}}}).Want(test.status)
			if got := string(reply.Body); test.status != http.StatusNotFound && got != test.fault["body"] {
				t.Errorf("body = %q, want %q", got, test.fault["body"])
			}
			if test.status == http.StatusOK && reply.Header.Get("Content-Type") != "application/json" {
				t.Errorf("content type = %q, want JSON", reply.Header.Get("Content-Type"))
			}
			after := []object{chat}
			if done := !cmp.Equal(after, resources(p, "/v2/deployments")); done != test.done {
				t.Errorf("the change was stored: %v, want %v", done, test.done)
			}
		})
	}
}

// TestBodyFault_page checks that a page about a failed login keeps its text.
func TestBodyFault_page(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	p.Do(http.MethodPost, "/dev/faults", object{"body": "{}"}).Want(http.StatusNoContent)
	page := p.Do(http.MethodGet, "/v2/auth/callback/mail?state=none", nil).Want(http.StatusBadRequest)
	if !strings.Contains(string(page.Body), "This login is unknown") {
		t.Errorf("body = %s, want the page", page.Body)
	}
}
