package table

import (
	"strings"
	"testing"
)

// TestAccTable_drift changes the arguments elsewhere that can change in place: the next plan shows that, and its apply restores them.
func TestAccTable_drift(t *testing.T) {
	eachRow(t, func(s *subject) {
		s.needs(s.change != nil, "The provider changes nothing of it in place.")
		theirs := s.Plane.Drive(s.t, s.typeName)
		other := s.with(s.change)
		for _, a := range s.arguments() {
			if value, has := s.whole[a.Name]; has && !replaces(a.Description) {
				s.config = s.with(object{a.Name: value})
			}
		}
		s.converges("create", s.config)
		theirs.State = s.State
		planned, _ := theirs.Plan(other)
		if told := theirs.Apply(planned); strings.Contains(told, "ERROR: ") {
			s.t.Fatal(told)
		}
		planned, told := s.Plan(s.config)
		if !strings.HasPrefix(planned.String(), "[update]") || told != "" {
			s.t.Errorf("the plan is %s: %s", planned, told)
		}
		s.converges("afterwards", s.config)
		s.hasConfigured()
	})
}
