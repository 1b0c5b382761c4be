package deployment_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// without returns an object variable that removes attributes from a valid configuration.
func without(attributes ...string) config.Variable {
	none := map[string]config.Variable{}
	for _, attribute := range attributes {
		none[attribute] = nil
	}
	return config.ObjectVariable(none)
}

// TestAccReplace_refused plans replacements that the service would refuse. Such a plan must fail at the attribute:
// an apply would destroy the deployment and then fail to create it.
func TestAccReplace_refused(t *testing.T) {
	t.Parallel()
	renamed := func(sourceConfig config.Variable) config.Variables {
		return config.Variables{"name": str("tf-acc-renamed"), "source_config": sourceConfig}
	}
	for name, test := range map[string]struct {
		variables config.Variables
		want      string
	}{
		"no namespace": {config.Variables{"source_config": without("listener_config")},
			`source_config.listener_config is not set, but listener \S+ \(\S+\) requires a namespace. Set its k8s_namespace to one of: agents, `},
		"no listener": {config.Variables{"source_config": without("listener_id", "listener_config")},
			`source_config.listener_id is not set, but this workspace has listeners, .* Set it to one of: \S+ \(\S+\)`},
		"another namespace": {config.Variables{"source_config": object("listener_config", object("k8s_namespace", str("elsewhere")))},
			`doesn't deploy to namespace "elsewhere", only to: agents, `},
		"default of a request": {renamed(object("resource_spec", object("cpu", 4, "queue_cpu_limit", 2))),
			`source_config.resource_spec.queue_cpu_limit is 2, but queue_cpu defaults to 4`},
		"default of a minimum": {renamed(object("resource_spec", object("min_scale", 3, "queue_max_scale", 1))),
			`source_config.resource_spec.queue_max_scale is 1, but queue_min_scale defaults to 3`},
		"default of a maximum": {renamed(object("resource_spec", object("max_scale", 3, "queue_min_scale", 5))),
			`source_config.resource_spec.queue_min_scale is 5, but queue_max_scale defaults to 3`},
		"last character": {config.Variables{"name": str("tf-acc-renamed-")}, `name is "tf-acc-renamed-", which ends with a dash`},
		"bounds":         {renamed(object("resource_spec", object("cpu", 4, "cpu_limit", 2))), `source_config.resource_spec.cpu is 4, which is more`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t)
			refused := step(plane, "validate", test.variables)
			refused.ExpectError = words(test.want)
			untouched := step(plane, "validate", nil)
			untouched.PreConfig = func() {
				if err := expectRequests(plane, map[string]int{"POST": 1, "PATCH": 0, "DELETE": 0})(nil); err != nil {
					t.Error(err)
				}
			}
			run(t, plane, step(plane, "validate", nil), refused, untouched)
		})
	}
}
