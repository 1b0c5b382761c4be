package table

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccTable_change sets each argument of the schema alone and removes it again: that replaces the object if the description of the
// argument says so, and otherwise changes it in place. Nothing remains to be done after that.
func TestAccTable_change(t *testing.T) {
	eachWorkspace(t, func(s *subject, workspace string) {
		s.config = s.row.config(s.Plane)
		s.config["workspace_id"] = workspace
		if s.refers {
			provide(s.Plane, "other")
		}
		s.converges("create", s.config)
		described := s.Plane.RPC().Schema.ResourceSchemas[s.typeName].Block.Attributes
		for _, a := range described {
			value, has := s.whole[a.Name]
			if !has || a.Name == "tokens_wo_version" { // It is changed with each of the others.
				continue
			}
			s.Plane.Clock.Advance(time.Second) // Otherwise, no time of the object changes.
			s.changes(a.Name, replaces(a.Description), s.versioned(object{a.Name: value}))
			s.converges("without "+a.Name, s.versioned(nil))
		}
		key := described[slices.IndexFunc(described, func(a *tfprotov6.SchemaAttribute) bool { return a.Name == s.key })]
		moved := s.versioned(object{s.key: "other"})
		s.config = moved
		s.changes(s.key, s.record || replaces(key.Description), moved)
		// What an object refers to isn't there: then an error says so.
		elsewhere := map[string]string{providertest.WorkspaceID: otherWorkspace, otherWorkspace: providertest.WorkspaceID}[workspace]
		if planned, told := s.PlanOnly(s.with(object{"workspace_id": elsewhere})); !strings.Contains(told, "ERROR: ") && !strings.HasPrefix(planned.String(), "[delete create]") {
			s.t.Errorf("another workspace: plan %s %s", planned, told)
		}
	})
}

func replaces(description string) bool {
	return strings.Contains(description, "eplaces the ") || strings.Contains(description, "Forces replacement")
}

// versioned is the configuration with other arguments, and with another version of write-only ones if they have any.
func (s *subject) versioned(more object) object {
	if version, has := s.config["tokens_wo_version"].(int); has {
		s.config = s.with(object{"tokens_wo_version": version + 1})
	}
	return s.with(more)
}

// changes applies a change, which replaces the object or doesn't.
func (s *subject) changes(name string, replaces bool, config object) {
	s.t.Helper()
	planned, told := s.Plan(config)
	if strings.Contains(told, "ERROR: ") {
		s.t.Fatalf("%s: %s", name, told)
	}
	action, _, _ := strings.Cut(planned.String(), "\n")
	if was := action == "[delete create]"; was != replaces && action != "[no-op]" {
		s.t.Errorf("%s: the plan is to %s, but its description says that it replaces: %t", name, action, replaces)
	}
	if action == "[no-op]" && name != "compute_type" && name != "deletion_protection" { // These are set to their defaults.
		s.t.Errorf("%s: the plan does nothing: choose another value", name)
	}
	before := s.Text("id")
	s.converges(name, config)
	if (s.Text("id") == before) != (action != "[delete create]") {
		s.t.Errorf("%s: the ID was %s and is %s after %s", name, before, s.Text("id"), action)
	}
}
