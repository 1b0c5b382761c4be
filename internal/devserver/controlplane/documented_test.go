package controlplane_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// TestListsAreWrapped checks the raw JSON, because the client's list type also decodes bare arrays.
func TestListsAreWrapped(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	d := p.Create(devservertest.ImageRequest("chat"))
	p.Patch(d.ID, object{"secrets": []any{}})
	for path, want := range map[string]int{"/v2/deployments": 1, "/v2/deployments/" + d.ID + "/revisions": 2, "/v2/listeners": 0} {
		list, is := devservertest.Get[object](p, path)["resources"].([]any)
		if !is || len(list) != want {
			t.Errorf("%s: resources = %v, want an array of %d", path, list, want)
		}
		for _, element := range list {
			if id, is := element.(object)["id"].(string); !is || id == "" {
				t.Errorf("%s: %v has no id", path, element)
			}
		}
	}
}

// TestRevisionHasDocumentedKeys checks the keys of a revision and of its source_revision_config.
func TestRevisionHasDocumentedKeys(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	d := p.Create(devservertest.ImageRequest("chat"))
	revision := devservertest.Get[object](p, "/v2/deployments/"+d.ID+"/revisions/"+*d.LatestRevisionID)
	if revision["id"] != *d.LatestRevisionID || revision["status"] != "DEPLOYED" {
		t.Errorf("revision = %v, want the ID and the status DEPLOYED", revision)
	}
	want := []string{"graph_config_path", "image_uri", "repo_commit_sha", "repo_ref"}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(revision["source_revision_config"].(object)))); diff != "" {
		t.Errorf("keys of source_revision_config (-want +got):\n%s", diff)
	}
}

// TestErrorForms checks the raw bodies of the two documented errors.
func TestErrorForms(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	secret := func(name string) object { return object{"name": name, "value": "1"} }
	refused := devservertest.Into[object](p.Do(http.MethodPost, "/v2/deployments",
		devservertest.ImageRequest("chat", object{"secrets": []any{secret("A"), secret("A")}})).Want(http.StatusBadRequest))
	if diff := cmp.Diff(object{"detail": "'secrets' has the name 'A' more than once."}, refused); diff != "" {
		t.Errorf("body with status 400 (-want +got):\n%s", diff)
	}
	invalid := devservertest.Into[object](p.Do(http.MethodPost, "/v2/deployments",
		devservertest.ImageRequest("chat", object{"secrets": []any{secret("A"), object{"name": "B"}}})).Want(http.StatusUnprocessableEntity))
	problems, is := invalid["detail"].([]any)
	if !is || len(problems) != 1 || len(invalid) != 1 {
		t.Fatalf("body with status 422 = %v, want one problem in detail", invalid)
	}
	problem := problems[0].(object)
	if diff := cmp.Diff([]any{"body", "secrets", 1.0, "value"}, problem["loc"]); diff != "" {
		t.Errorf("loc (-want +got):\n%s", diff)
	}
	if problem["msg"] != "Field required" || problem["type"] != "missing" {
		t.Errorf("problem = %v, want the message and the type of a missing field", problem)
	}
}

// TestKubernetesWordsAreTaken creates deployments with each documented value, and with the optional parts absent or null.
func TestKubernetesWordsAreTaken(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	sidecars := func(fields object) object { return object{"sidecars": []any{container(fields)}} }
	for i, fields := range []object{
		sidecars(object{"imagePullPolicy": "Always"}), sidecars(object{"imagePullPolicy": "Never"}), sidecars(object{"imagePullPolicy": "IfNotPresent"}),
		sidecars(object{"restartPolicy": "Always"}), sidecars(object{"restartPolicy": "OnFailure"}),
		sidecars(object{"env": []any{object{"name": "A"}, object{"name": "_b2", "valueFrom": object{"fieldRef": object{"fieldPath": "x"}}}}}),
		{"volumes": []any{object{"name": "bare"}, object{"name": "null", "secret": nil}}},
	} {
		t.Run(fmt.Sprint(fields), func(t *testing.T) {
			t.Parallel()
			on := *p
			on.T = t
			on.Create(devservertest.ImageRequest(fmt.Sprintf("chat-%d", i), spec(fields)))
		})
	}
}
