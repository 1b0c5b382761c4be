package table

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestAccTable_timeout lets each operation expire that has a timeout: an error names the timeout, nothing is lost or done twice, and the next
// apply converges.
func TestAccTable_timeout(t *testing.T) {
	eachRow(t, func(s *subject) {
		limits := s.argument("timeouts")
		s.needs(limits != nil, "It has no timeouts.")
		for _, limit := range limits.NestedType.Attributes {
			s.t.Run(limit.Name, func(t *testing.T) {
				newSubject(t, s.typeName).expires(limit.Name)
			})
		}
	})
}

func (s *subject) expires(operation string) {
	limited := s.with(object{"timeouts": object{operation: "1ns"}})
	want := "timeouts." + operation
	switch operation {
	case "create":
		contains(s.t, s.apply(limited), want)
		if found := len(s.found()); found > 1 || s.State.Exists() != (found == 1) {
			s.t.Errorf("%d objects, and one in the state: %t", found, s.State.Exists())
		}
	case "read":
		s.converges("create", limited)
		before := s.State.Attributes()
		contains(s.t, s.Refresh(), s.cannot(operation), want)
		if diff := cmp.Diff(before, s.State.Attributes()); diff != "" {
			s.t.Errorf("the state (-before +after):\n%s", diff)
		}
		planned, _ := s.PlanOnly(s.config) // A refresh would expire again.
		s.Apply(planned)
	case "update":
		s.converges("create", s.config)
		limited = s.with(s.change)
		limited["timeouts"] = object{operation: "1ns"}
		contains(s.t, s.apply(limited), s.cannot(operation), want)
	case "delete":
		s.converges("create", limited)
		contains(s.t, s.apply(nil), s.cannot(operation), want)
		if len(s.found()) == 1 && !s.State.Exists() {
			s.t.Error("the object is left, but has left the state")
		}
	}
	s.converges("afterwards", s.config)
}
