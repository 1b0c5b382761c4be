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
	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

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

// spec returns a resource_spec of numbers, from pairs of name and value.
func spec(pairs ...any) config.Variables {
	fields := map[string]config.Variable{}
	for i := 0; i < len(pairs); i += 2 {
		switch value := pairs[i+1].(type) {
		case int:
			fields[pairs[i].(string)] = config.IntegerVariable(value)
		case float64:
			fields[pairs[i].(string)] = config.FloatVariable(value)
		case config.Variable:
			fields[pairs[i].(string)] = value
		}
	}
	return config.Variables{"resource_spec": config.ObjectVariable(fields)}
}

func specStep(plane *providertest.Plane, more config.Variables, check resource.TestCheckFunc, preApply ...plancheck.PlanCheck) resource.TestStep {
	s := step(plane, "spec", more)
	s.Check = check
	s.ConfigPlanChecks.PreApply = preApply
	return s
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

// TestAccResourceSpec_defaults sets only fields from which defaults are derived. Every step ends with an empty plan.
func TestAccResourceSpec_defaults(t *testing.T) {
	forEachEcho(t, func(t *testing.T, plane *providertest.Plane, s *spy) {
		bases := spec("cpu", 1, "memory_mb", 1024, "min_scale", 1, "max_scale", 2, "db_cpu", 0.5, "db_memory_mb", 512)
		raised := spec("cpu", 4, "memory_mb", 1024, "min_scale", 1, "max_scale", 2, "db_cpu", 0.5, "db_memory_mb", 512)
		create := specStep(plane, bases, s.expectWrites(1, 0))
		create.ConfigStateChecks = []statecheck.StateCheck{
			known(knownvalue.Null(), "source_config", "resource_spec", "cpu_limit"),
			known(knownvalue.Null(), "source_config", "resource_spec", "queue_cpu"),
		}
		run(t, plane, importsAlike(t, plane, create),
			// The limits are derived: neither their old nor their new values are sent.
			specStep(plane, raised, all(s.expectWrites(1, 1), patchOf(plane,
				`{"cpu": 4, "memory_mb": 1024, "min_scale": 1, "max_scale": 2, "db_cpu": 0.5, "db_memory_mb": 512}`)), updates(true)...))
	})
}

// TestAccResourceSpec_defaultManaged begins to manage a field with its current value: nothing is sent.
func TestAccResourceSpec_defaultManaged(t *testing.T) {
	forEachEcho(t, func(t *testing.T, plane *providertest.Plane, s *spy) {
		run(t, plane,
			specStep(plane, spec("cpu", 1), s.expectWrites(1, 0)),
			specStep(plane, spec("cpu", 1, "cpu_limit", 2), s.expectWrites(1, 0), updates(false)...),
			specStep(plane, spec("cpu", 1, "cpu_limit", 2, "queue_cpu", 1, "queue_cpu_limit", 2), s.expectWrites(1, 0), updates(false)...),
			specStep(plane, spec("cpu", 1, "cpu_limit", 3), all(s.expectWrites(1, 1), patchOf(plane, `{"cpu": 1, "cpu_limit": 3}`)),
				updates(true)...),
		)
	})
}

// TestAccResourceSpec_unmanaged preserves fields that another user has set, and sends them with every change.
func TestAccResourceSpec_unmanaged(t *testing.T) {
	forEachEcho(t, func(t *testing.T, plane *providertest.Plane, s *spy) {
		untouched := specStep(plane, spec("cpu", 1), s.expectWrites(1, 0), noop)
		untouched.PreConfig = patchedByOther(plane, map[string]any{"source_config": map[string]any{"resource_spec": map[string]any{
			"cpu": 1, "max_scale": 3, "labels": map[string]string{"team": "agents"},
			"volumes": []any{map[string]any{"name": "scratch", "emptyDir": map[string]any{}}},
		}}})
		changed := specStep(plane, spec("cpu", 2), all(s.expectWrites(1, 1), patchOf(plane, `{
			"cpu": 2, "max_scale": 3, "labels": {"team": "agents"}, "volumes": [{"name": "scratch", "emptyDir": {}}]
		}`)), updates(true)...)
		taken := specStep(plane, spec("cpu", 2, "max_scale", 3), s.expectWrites(1, 1), updates(false)...)
		raised := specStep(plane, spec("cpu", 2, "max_scale", 4), all(s.expectWrites(1, 2), patchOf(plane, `{
			"cpu": 2, "max_scale": 4, "labels": {"team": "agents"}, "volumes": [{"name": "scratch", "emptyDir": {}}]
		}`)), updates(true)...)
		run(t, plane, specStep(plane, spec("cpu", 1), nil), untouched, changed, taken, raised)
	})
}
