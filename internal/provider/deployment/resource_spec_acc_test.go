package deployment_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// Installations return a spec with the defaults filled in, or as it was sent.
var echoes = map[string]func(*devserver.Config){
	"defaults filled in": func(cfg *devserver.Config) { cfg.EchoResourceSpec = false },
	"as sent":            func(cfg *devserver.Config) { cfg.EchoResourceSpec = true },
}

// forEachInstallation runs a test against both kinds of installations in each dialect, which changes names and defaults of a spec.
func forEachInstallation(t *testing.T, test func(t *testing.T, plane *providertest.Plane)) {
	t.Helper()
	t.Parallel()
	providertest.EachDialect(t, func(t *testing.T) {
		t.Helper()
		for name, configure := range echoes {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				test(t, providertest.NewDev(t, configure))
			})
		}
	})
}

// forEachEcho is forEachInstallation with a spy.
func forEachEcho(t *testing.T, test func(t *testing.T, plane *providertest.Plane, s *spy)) {
	t.Helper()
	forEachInstallation(t, func(t *testing.T, plane *providertest.Plane) {
		t.Helper()
		test(t, plane, spyOn(t, plane, nil))
	})
}

var noop = plancheck.ExpectResourceAction(address, plancheck.ResourceActionNoop)

// patchOf expects the last PATCH to contain this spec and nothing else.
func patchOf(plane *providertest.Plane, resourceSpec string) resource.TestCheckFunc {
	return expectBody(plane, http.MethodPatch, fmt.Sprintf(`{"source_config": {"resource_spec": %s}}`, resourceSpec))
}

// logged is a JSON text as the list of requests shows it: without the values of environment variables, which imports compare.
func logged(text string) string {
	return regexp.MustCompile(`"value": "[^"]*"`).ReplaceAllString(text, `"value": "***"`)
}

func golden(t *testing.T, step string) string {
	t.Helper()
	content, err := os.ReadFile("testdata/spec_every_field/" + step + "/resource_spec.json")
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// TestAccResourceSpec_everyField sets every field of the specification's table, and then changes every one.
func TestAccResourceSpec_everyField(t *testing.T) {
	forEachEcho(t, func(t *testing.T, plane *providertest.Plane, s *spy) {
		create := step(plane, "spec_every_field/create", nil)
		create.Check = all(s.expectWrites(1, 0), expectBody(plane, http.MethodPost, fmt.Sprintf(`{
			"name": "tf-acc-spec", "source": "external_container", "secrets": [],
			"source_config": {
				"listener_id": %q, "listener_config": {"k8s_namespace": %q}, "resource_spec": %s
			},
			"source_revision_config": {"image_uri": "registry.example.com/agents/chat:1.0.0"}
		}`, plane.ListenerID, plane.K8sNamespace, logged(golden(t, "create")))))
		change := step(plane, "spec_every_field/change", nil)
		change.ConfigPlanChecks.PreApply = updates(true)
		change.Check = all(s.expectWrites(1, 1), expectRevisions(plane, 2), patchOf(plane, logged(golden(t, "change"))))
		run(t, plane, importsAlike(t, plane, create), importsAlike(t, plane, change))
	})
}

// TestAccResourceSpec_goldens checks that the files of the test above have every attribute.
func TestAccResourceSpec_goldens(t *testing.T) {
	t.Parallel()
	schema := providertest.NewDev(t).RPC().Schema.ResourceSchemas[driven]
	var attributes []string
	for _, attribute := range schema.Block.Attributes {
		if attribute.Name != "source_config" {
			continue
		}
		for _, nested := range attribute.NestedType.Attributes {
			if nested.Name != "resource_spec" {
				continue
			}
			for _, field := range nested.NestedType.Attributes {
				attributes = append(attributes, field.Name)
			}
		}
	}
	slices.Sort(attributes)
	for _, file := range []string{"create", "change"} {
		var fields map[string]any
		if err := json.Unmarshal([]byte(golden(t, file)), &fields); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(attributes, slices.Sorted(maps.Keys(fields))); diff != "" {
			t.Errorf("%s (-schema +golden):\n%s", file, diff)
		}
	}
}
