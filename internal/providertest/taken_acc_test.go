package providertest_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// keyed is a resource whose objects have a key that the service accepts only once.
type keyed struct {
	// config is a configuration, and at the attribute that is or begins the key.
	config map[string]any
	at     string
	// path is that of the service's list, and body creates another object with the key. id is the member by which it is imported.
	path, id string
	body     map[string]any
	// inPlace says that the key of an object can change.
	inPlace bool
}

var allKeyed = map[string]keyed{
	"agentplane_listener": {
		map[string]any{"compute_id": "one", "compute_config": map[string]any{"k8s_namespaces": []any{"agents"}}}, "compute_id", "/v2/listeners", "id",
		map[string]any{"compute_type": "k8s", "compute_id": "one", "compute_config": map[string]any{"k8s_namespaces": []any{"theirs"}}}, false,
	},
	"agentplane_oauth_provider": {
		map[string]any{
			"provider_id": "one", "name": "One", "client_id": "agents", "auth_url": "https://login.example.com/authorize",
			"token_url": "https://login.example.com/token",
		}, "provider_id", "/v2/auth/providers", "provider_id",
		map[string]any{
			"provider_id": "one", "name": "Theirs", "client_id": "agents", "auth_url": "https://login.example.com/authorize",
			"token_url": "https://login.example.com/token",
		}, false,
	},
	"agentplane_model_price": {
		map[string]any{"name": "one", "match_pattern": "^one$", "prompt_cost": "1e-6", "completion_cost": "2e-6"}, "name", "/api/v1/model-price-map", "id",
		map[string]any{"name": "one", "match_pattern": "^one$", "prompt_cost": 1, "completion_cost": 1}, true,
	},
}

// TestAccTaken plans objects whose key another object has: a new one with a warning, and a replacement, which would be destroyed in vain, with
// an error. Plans that create nothing don't look.
func TestAccTaken(t *testing.T) {
	t.Parallel()
	for typeName, k := range allKeyed {
		t.Run(typeName, func(t *testing.T) {
			t.Parallel()
			d := providertest.NewDev(t).Drive(t, typeName)
			other := maps.Clone(k.config)
			other[k.at] = "two"
			d.Make(other)
			lists := func() int { return len(d.Plane.Requests("GET", k.path)) }
			before := lists()
			if _, told := d.PlanOnly(other); told != "" || lists() > before {
				t.Errorf("%d lists for a plan of nothing: %s", lists()-before, told)
			}
			var theirs map[string]any
			d.Plane.Call("POST", k.path, k.body, &theirs)
			id := fmt.Sprint(theirs[k.id])
			if !k.inPlace {
				_, told := d.Plan(k.config)
				contains(t, told, "ERROR: ", id, "make two applies")
				d.Plane.Arm(devserver.Fault{Match: "GET " + k.path, Status: 403, Detail: "Forbidden"})()
				_, told = d.PlanOnly(k.config)
				contains(t, told, "ERROR: Replacement can't be checked", "Forbidden", "make two applies")
			}
			planned, _ := d.Plan(nil)
			if told := d.Apply(planned); told != "" {
				t.Fatal(told)
			}
			planned, told := d.Plan(k.config)
			contains(t, told, "WARNING: ", `"one" exists already`, id, fmt.Sprintf("import {\n      to = ADDRESS\n      id = %q", id), "`moved`")
			if told := d.Apply(planned); !strings.Contains(told, "ERROR: ") || d.State.Exists() {
				t.Errorf("the key is taken: %s", told)
			}
		})
	}
}

// contains expects texts in what a plan reported.
func contains(t *testing.T, told string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(told, part) {
			t.Errorf("%q isn't in:\n%s", part, told)
		}
	}
}
