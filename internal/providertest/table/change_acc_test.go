package table

import (
	"fmt"
	"regexp"
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
		for _, a := range s.arguments() {
			if value, has := s.whole[a.Name]; has && a.Name != "tokens_wo_version" { // It is changed with each of the others.
				s.Plane.Clock.Advance(time.Second) // Otherwise, no time of the object changes.
				s.changes(a, value)
				s.converges("without "+a.Name, s.versioned(nil))
			}
		}
		s.config, s.left = s.versioned(object{s.key: "other"}), -1 // The replacement adds the only one with this key.
		if !s.record {
			s.left = 0
		}
		s.changes(s.argument(s.key), "other")
		// What an object refers to isn't there: then an error says so.
		elsewhere := map[string]string{providertest.WorkspaceID: otherWorkspace, otherWorkspace: providertest.WorkspaceID}[workspace]
		if planned, told := s.PlanOnly(s.with(object{"workspace_id": elsewhere})); !strings.Contains(told, "ERROR: ") && !strings.HasPrefix(planned.String(), "[delete create]") {
			s.t.Errorf("another workspace: plan %s %s", planned, told)
		}
	})
}

// replacing are the words with which a description says that a change replaces the object.
var replacing = regexp.MustCompile(`(Replaces|Changing (it|them) replaces) the |Forces replacement|Changing it logs another run`)

func replaces(description string) bool { return replacing.MatchString(description) }

// versioned is the configuration with other arguments, and with another version of write-only ones if they have any.
func (s *subject) versioned(more object) object {
	if version, has := s.config["tokens_wo_version"].(int); has {
		s.config = s.with(object{"tokens_wo_version": version + 1})
	}
	return s.with(more)
}

// changes sets an argument, which replaces the object or doesn't, and sends nothing if its description says so.
func (s *subject) changes(a *tfprotov6.SchemaAttribute, value any) {
	s.t.Helper()
	config := s.versioned(object{a.Name: value})
	planned, told := s.Plan(config)
	if strings.Contains(told, "ERROR: ") {
		s.t.Fatalf("%s: %s", a.Name, told)
	}
	action, _, _ := strings.Cut(planned.String(), "\n")
	if replaces := replaces(a.Description); (action == "[delete create]") != replaces && action != "[no-op]" {
		s.t.Errorf("%s: the plan is to %s, but its description says that it replaces: %t", a.Name, action, replaces)
	}
	if action == "[no-op]" && !strings.Contains(a.Description, fmt.Sprintf("Default: `%v`", value)) && a.Name != "compute_type" { // Its own is the default.
		s.t.Errorf("%s: the plan does nothing: choose another value", a.Name)
	}
	before, updates := s.Text("id"), s.sent(s.update)
	s.converges(a.Name, config)
	if (s.Text("id") == before) != (action != "[delete create]") {
		s.t.Errorf("%s: the ID was %s and is %s after %s", a.Name, before, s.Text("id"), action)
	}
	if sent := s.sent(s.update) - updates; sent > 0 && strings.Contains(strings.ToLower(a.Description), "not sent") && s.config["tokens_wo_version"] == nil {
		s.t.Errorf("%s: %d updates were sent, but its description says that it isn't", a.Name, sent)
	}
}
