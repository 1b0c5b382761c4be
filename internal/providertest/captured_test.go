package providertest_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

const (
	gitHostID       = "0b6c2c1e-7a53-4c0f-9d0e-3f6b1a2c4d5e"
	gitHostRevision = "c2d3e4f5-0617-4829-a3b4-c5d6e7f80910"
	containerID     = "5d7e9f10-3a42-4b86-a1c9-8e0d2f4b6a71"
	containerRev    = "e7f80912-2a3b-4c5d-8e6f-7a8b9c0d1e2f"
	goingID         = "7e8f9012-4b3c-4d5e-9f60-718293a4b5c6"
	listenerID      = "b8d1e7a4-25f3-4c69-9b07-4a6c8e0f2d13"
	integrationID   = "6a1f0c52-9d1b-4e53-8a62-0f1d2c3b4a59"
)

// captured are responses with reported properties of real installations: defaults that no client sent, a
// resolved repo_ref, settings that are not echoed, every status, values younger than the specification, both ways to
// write a time, and an offset that leads nowhere.
var captured = []struct {
	method, path string
	status       int
	file         string
}{
	{"GET", "/v2/deployments", 200, "deployments_list"},
	{"GET", "/v2/deployments", 200, "deployments_list_empty"},
	{"POST", "/v2/deployments", 201, "deployment_external_docker"},
	{"POST", "/v2/deployments", 400, "error_400"},
	{"POST", "/v2/deployments", 403, "error_403_not_enabled"},
	{"POST", "/v2/deployments", 409, "error_409"},
	{"POST", "/v2/deployments", 422, "error_422"},
	{"GET", "/v2/deployments/" + gitHostID, 200, "deployment_github"},
	{"GET", "/v2/deployments/" + gitHostID, 403, "error_403_organization_key"},
	{"GET", "/v2/deployments/" + gitHostID, 404, "error_404"},
	{"GET", "/v2/deployments/" + containerID, 200, "deployment_external_docker"},
	{"GET", "/v2/deployments/" + containerID, 200, "deployment_2026_05"},
	{"GET", "/v2/deployments/" + goingID, 200, "deployment_being_deleted"},
	{"GET", "/v2/deployments/" + gitHostID + "/revisions", 200, "revisions_list"},
	{"GET", "/v2/deployments/" + gitHostID + "/revisions/" + gitHostRevision, 200, "revision_github"},
	{"GET", "/v2/deployments/" + gitHostID + "/revisions/" + gitHostRevision + "/logs?type=build", 200, "revision_logs"},
	{"GET", "/v2/deployments/" + containerID + "/revisions/" + containerRev, 200, "revision_external_docker"},
	{"GET", "/v1/integrations/github/install", 200, "integrations"},
	{"GET", "/v1/integrations/github/" + integrationID + "/repos", 200, "repositories"},
	{"GET", "/v2/integrations/github/installations", 200, "installations"},
	{"GET", "/v2/integrations/github/installations/" + integrationID + "/repositories", 200, "installation_repositories"},
	{"GET", "/v2/listeners", 200, "listeners_list"},
	{"POST", "/v2/listeners", 403, "error_403_listeners"},
	{"GET", "/v2/listeners/" + listenerID, 200, "listener"},
	{"GET", "/v2/auth/providers", 200, "oauth_providers"},
	{"GET", "/v2/auth/providers", 200, "oauth_providers_empty"},
	{"GET", "/v2/auth/providers/calendar", 200, "oauth_provider"},
	{"DELETE", "/v2/auth/providers/calendar", 200, "oauth_provider_deleted"},
}

const capturedDirectory = "testdata/captured"

func readCaptured(t *testing.T, file string) string {
	t.Helper()
	return readText(t, filepath.Join(capturedDirectory, file+".json"))
}

// TestCaptured_obey validates the captured responses against the contract.
func TestCaptured_obey(t *testing.T) {
	t.Parallel()
	files := map[string]bool{}
	for _, c := range captured {
		files[c.file+".json"] = true
		r := request(t, c.method, c.path, "")
		for _, problem := range langSmith(t).Response(r, c.status, http.Header{"Content-Type": {"application/json"}}, []byte(readCaptured(t, c.file))) {
			t.Errorf("%s: %s", c.file, problem)
		}
	}
	entries, err := os.ReadDir(capturedDirectory)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if !files[entry.Name()] {
			t.Errorf("%s is no answer to anything", entry.Name())
		}
	}
}

// recorded is a service that replays what was captured. Tests change its responses: by a request such as
// "POST /v2/deployments", the file of the answer and its status. What is deleted is gone.
func recorded(t *testing.T, answers map[string]answer) http.Handler {
	t.Helper()
	// The first captured success is what a request gets, unless the test says otherwise.
	all := map[string]answer{}
	for _, c := range captured {
		target, _, _ := strings.Cut(c.path, "?")
		if request := c.method + " " + target; c.status < 300 && all[request] == (answer{}) {
			all[request] = answer{c.status, c.file}
		}
	}
	maps.Copy(all, answers)
	mux := http.NewServeMux()
	var deleted atomic.Pointer[string]
	for pattern, a := range all {
		body := readCaptured(t, a.file)
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			if gone := deleted.Load(); gone != nil && r.Method == http.MethodGet {
				switch {
				case strings.HasPrefix(r.URL.Path, *gone):
					reply(w, http.StatusNotFound, readCaptured(t, "error_404"))
					return
				case r.URL.Path == path.Dir(*gone):
					reply(w, a.status, without(t, body, path.Base(*gone)))
					return
				}
			}
			if r.Method == http.MethodDelete {
				deleted.Store(&r.URL.Path)
			}
			reply(w, a.status, body)
		})
	}
	mux.HandleFunc("DELETE /v2/{collection}/{id}", func(w http.ResponseWriter, r *http.Request) {
		deleted.Store(&r.URL.Path)
		w.WriteHeader(http.StatusNoContent)
	})
	return mux
}

// without returns a captured list without the object with that ID.
func without(t *testing.T, list, id string) string {
	t.Helper()
	var all any
	if err := json.Unmarshal([]byte(list), &all); err != nil {
		t.Fatal(err)
	}
	hasID := func(item any) bool {
		object, _ := item.(map[string]any)
		return object["id"] == id || object["provider_id"] == id
	}
	switch list := all.(type) {
	case []any:
		all = slices.DeleteFunc(list, hasID)
	case map[string]any:
		resources, _ := list["resources"].([]any)
		list["resources"] = slices.DeleteFunc(resources, hasID)
	}
	shorter, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return string(shorter)
}

// answer is one of the captured ones.
type answer struct {
	status int
	file   string
}

func reply(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(body))
}

// TestCaptured_requestsAreKnown sends the requests that lead to the captured answers as the contract wants them.
func TestCaptured_requestsAreKnown(t *testing.T) {
	t.Parallel()
	for _, c := range captured {
		if c.method == http.MethodPost {
			continue // It needs a body; the provider's own are held to the contract wherever it sends them.
		}
		if problems := langSmith(t).Request(request(t, c.method, c.path, ""), nil); len(problems) > 0 {
			t.Errorf("%s %s: %q", c.method, c.path, problems)
		}
	}
}
