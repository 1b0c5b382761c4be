package provider_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/agentplane/terraform-provider-agentplane/internal/provider"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// oddValues are what the cases set every attribute to, if the value has its type.
var oddValues = []any{
	nil, "", "nope", "yesterday", "-5s", "99999999-2222-4333-8444-555555555555",
	[]any{""}, map[string]any{"": "x"}, map[string]any{"ls_provider": "x"},
}

// TestAccActionChecks_unraced expects every mistake that a plan finds without asking the service to be found by an invocation, too, before it
// sends anything, because values may be unknown in the plan.
// The mistakes are those of the tables, and odd values of each attribute of each schema.
func TestAccActionChecks_unraced(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	c := &actionChecks{t, plane, plane.RPC(), *plane.RPC()}
	c.offline.Server = provider.NewServer("test")()
	rights, mistakes := map[string]map[string]any{}, map[string][]map[string]any{}
	for _, table := range readTables(t, map[string]string{
		"listener_id": plane.ListenerID, "k8s_namespace": plane.K8sNamespace, "integration_id": plane.IntegrationID,
		"missing": "99999999-2222-4333-8444-555555555555",
	}) {
		name := table.typeName
		switch {
		case table.kind == "action":
			rights[name] = table.right
		case name == "agentplane_llm_run": // The action has the same rules.
			name = "agentplane_log_llm_run"
		}
		for _, wrong := range table.cases {
			mistakes[name] = append(mistakes[name], wrong.config)
		}
	}
	count := 0
	for name, s := range c.rpc.Schema.ActionSchemas {
		right, ok := rights[name]
		if !ok {
			t.Errorf("testdata/wrong has no table for %s", name)
			continue
		}
		configs := mistakes[name]
		for _, a := range s.Schema.Block.Attributes {
			values := slices.Clone(oddValues)
			for _, c := range casesOfType(a.ValueType(), right[a.Name]) {
				if isKnown(c.value) {
					values = append(values, c.value)
				}
			}
			for _, value := range values {
				config := maps.Clone(right)
				config[a.Name] = value
				configs = append(configs, config)
			}
		}
		for _, config := range configs {
			if c.fits(s.Schema, config) {
				count += c.check(name, right, config)
			}
		}
	}
	t.Logf("%d mistakes", count)
	if count < 100 {
		t.Errorf("there are %d mistakes, want 100 at least", count)
	}
}

type actionChecks struct {
	t     *testing.T
	plane *providertest.Plane
	rpc   *providertest.RPC
	// offline is a provider that isn't configured.
	offline providertest.RPC
}

// fits reports whether a configuration has attributes and types of the schema.
func (c *actionChecks) fits(s *tfprotov6.Schema, config map[string]any) bool {
	for name := range config {
		if !slices.ContainsFunc(s.Block.Attributes, func(a *tfprotov6.SchemaAttribute) bool { return a.Name == name }) {
			return false
		}
	}
	_, err := c.rpc.Value(config).Unmarshal(s.ValueType())
	return err == nil
}

// check plans and invokes an action with a configuration, if a plan without the service tells something, and returns 1 if it refuses it.
func (c *actionChecks) check(name string, right, config map[string]any) int {
	c.t.Helper()
	validated := c.offline.PlanAction(name, config)
	if len(validated) == 0 {
		return 0
	}
	want := sorted(validated)
	if got := sorted(c.rpc.PlanAction(name, config)); got != want {
		c.t.Errorf("the plan of %s with %v says %q, want %q", name, config, got, want)
	}
	if !slices.ContainsFunc(validated, isError) {
		messages, diags := c.rpc.Invoke(c.t.Context(), name, config, nil)
		if got := sorted(diags); got != want || len(messages) == 0 {
			c.t.Errorf("the invocation of %s with %v says %q and %q, want %q", name, config, messages, got, want)
		}
		return 0
	}
	var unknown []string
	for attribute := range c.rpc.Attributes(c.rpc.Value(config), c.rpc.Schema.ActionSchemas[name].Schema.ValueType()) {
		if fmt.Sprint(config[attribute]) != fmt.Sprint(right[attribute]) || attribute == "deployment_id" { // There is none to look up.
			unknown = append(unknown, attribute)
		}
	}
	if diags := c.rpc.PlanAction(name, config, unknown...); slices.ContainsFunc(diags, isError) {
		c.t.Errorf("the plan of %s refuses %v before they are known: %s", name, unknown, providertest.Told(diags))
	}
	before := len(c.plane.Server.Requests())
	messages, diags := c.rpc.Invoke(c.t.Context(), name, config, nil)
	if got := sorted(diags); got != want || len(messages) > 0 {
		c.t.Errorf("the invocation of %s with %v says %q and %q, want %q", name, config, messages, got, want)
	}
	if sent := len(c.plane.Server.Requests()) - before; sent > 0 {
		c.t.Errorf("the invocation of %s with %v sends %d requests", name, config, sent)
	}
	return 1
}

// sorted returns the text of diagnostics, which the framework finds in any order.
func sorted(diags []*tfprotov6.Diagnostic) string {
	var texts []string
	for _, d := range diags {
		texts = append(texts, providertest.Told([]*tfprotov6.Diagnostic{d}))
	}
	slices.Sort(texts)
	return strings.Join(texts, "")
}
