package deployment

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
)

// location makes a location in a body: strings are keys, ints are indexes.
func location(steps ...any) []api.LocStep {
	var loc []api.LocStep
	for _, step := range steps {
		if i, ok := step.(int); ok {
			loc = append(loc, api.Index(i))
		} else {
			loc = append(loc, api.Key(step.(string)))
		}
	}
	return loc
}

func TestAttributePath(t *testing.T) {
	t.Parallel()
	m := environmentOf([]string{"B", "2"}, []string{"C", "3"}, []string{"A", "1"})
	sent := m.toSecrets(secretsOf("X", "9")...)
	for name, test := range map[string]struct {
		loc  []api.LocStep
		want string // Empty: no path.
	}{
		"whole attribute":     {location("name"), "name"},
		"nested":              {location("source_config", "repo_url"), "source_config.repo_url"},
		"of the revision":     {location("source_revision_config", "image_uri"), "source_revision_config.image_uri"},
		"namespace":           {location("source_config", "listener_config", "k8s_namespace"), "source_config.listener_config.k8s_namespace"},
		"spec":                {location("source_config", "resource_spec", "cpu"), "source_config.resource_spec.cpu"},
		"list in the spec":    {location("source_config", "resource_spec", "volumes", 2, "name"), "source_config.resource_spec.volumes[2].name"},
		"camel case":          {location("source_config", "resource_spec", "sidecars", 0, "volumeMounts", 1, "mountPath"), "source_config.resource_spec.sidecars[0].volume_mounts[1].mount_path"},
		"initialism":          {location("source_config", "resource_spec", "volumes", 0, "downwardAPI", "items"), "source_config.resource_spec.volumes[0].downward_api_json"},
		"free-form object":    {location("source_config", "resource_spec", "init_containers", 1, "env", 3, "valueFrom", "secretKeyRef", "key"), "source_config.resource_spec.init_containers[1].env[3].value_from_json"},
		"list of objects":     {location("source_config", "resource_spec", "sidecars", 0, "envFrom", 1), "source_config.resource_spec.sidecars[0].env_from_json[1]"},
		"what isn't there":    {location("source_config", "resource_spec", "gpu"), "source_config.resource_spec"},
		"nothing of ours":     {location("project"), ""},
		"environment":         {location("secrets", 1, "value"), `environment["B"]`},
		"secrets":             {location("secrets", 2, "name"), `secrets["C"]`},
		"write-only":          {location("secrets", 0), `secrets_wo["A"]`},
		"somebody else's":     {location("secrets", 3), ""},
		"beyond the end":      {location("secrets", 4), ""},
		"before the start":    {location("secrets", -1), ""},
		"all of the secrets":  {location("secrets"), ""},
		"no index in secrets": {location("secrets", "name"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, ok := m.attributePath(test.loc, sent)
			if ok != (test.want != "") || ok && got.String() != test.want {
				t.Errorf("path = %s (%t), want %s", got, ok, test.want)
			}
		})
	}
}

func TestFailureTellsTheNextStep(t *testing.T) {
	t.Parallel()
	m := imageModel(nil)
	conflict := &client.Error{Method: "POST", Path: "/v2/deployments", Status: http.StatusConflict, Detail: "Taken"}
	created := m.failure("create").Diagnostics(conflict)
	if created[0].Summary() != `Cannot create deployment "chat"` {
		t.Errorf("summary = %s, want that deployment chat can't be created", created[0].Summary())
	}
	wantText(t, created[0].Detail(), "Taken.", "Status: 409", "import it by its ID", "create_before_destroy")
	wantText(t, m.failure("update").Diagnostics(conflict)[0].Detail(), "Another change of this deployment is in progress")
	late := m.failure("delete").Diagnostics(fmt.Errorf("not done: %w", context.DeadlineExceeded))
	wantText(t, late[0].Detail(), "timeouts.delete")
	// It is part of a create or an update: timeouts.complete doesn't exist.
	for _, verb := range []string{"complete", setTier} {
		late := m.failure(verb).Diagnostics(fmt.Errorf("not done: %w", context.DeadlineExceeded))
		wantText(t, late[0].Detail(), "raise timeouts.")
	}
}

func TestMapsWithoutValues(t *testing.T) {
	t.Parallel()
	m := imageModel(nil)
	m.Secrets = types.MapUnknown(types.StringType)
	if at, ok := m.attributePath(location("secrets", 0), secretsOf("A", "1")); ok {
		t.Errorf("path = %s, want none", at)
	}
}
