package table

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest/core"
)

// eachDeletable is eachRow for what can be deleted, once it exists.
func eachDeletable(t *testing.T, test func(s *subject)) {
	t.Helper()
	eachRow(t, func(s *subject) {
		s.needs(s.remove != "", "The provider deletes nothing of it.")
		s.converges("create", s.config)
		test(s)
	})
}

// deleted deletes the object as another user does, and waits until it is gone.
func (s *subject) deleted() {
	s.call(s.remove+s.removes, nil, nil)
	s.Plane.Clock.Advance(providertest.Unseen)
}

// notFound are the ways in which a read may say that the service doesn't have the object; none where only the list shows it.
func (s *subject) notFound() (all []devserver.Fault) {
	for _, answer := range append([]devserver.Fault{{Status: 404, Detail: "It was not found"}}, s.absent...) {
		if answer.Match = s.read; s.read != "" {
			all = append(all, answer)
		}
	}
	return all
}

// TestAccTable_disappears deletes the object elsewhere: a refresh says so, and the next apply creates it again.
func TestAccTable_disappears(t *testing.T) {
	eachDeletable(t, func(s *subject) {
		for _, answer := range append([]devserver.Fault{{}}, s.notFound()...) {
			s.deleted()
			if answer.Match != "" { // The service's own would be the first one.
				s.Plane.Arm(answer)()
			}
			if told := s.Refresh(); !strings.Contains(told, "WARNING: ") || s.State.Exists() {
				s.t.Errorf("%d %s: the state has it: %t; told %s", answer.Status, answer.Detail, s.State.Exists(), told)
			}
			s.recovers()
			s.converges("again", s.config)
		}
	})
}

// TestAccTable_oddNotFound reports in one answer to a read, and in one to a deletion, that the object isn't found: it isn't gone, and then it
// is deleted.
func TestAccTable_oddNotFound(t *testing.T) {
	eachDeletable(t, func(s *subject) {
		before := s.State.Attributes()
		for _, answer := range s.notFound() {
			s.Plane.Arm(answer)()
			told := s.Refresh()
			if diff := cmp.Diff(before, s.State.Attributes()); diff != "" || told != "" {
				s.t.Errorf("%d %s: told %s; the state (-before +after):\n%s", answer.Status, answer.Detail, told, diff)
			}
		}
		s.Plane.Arm(devserver.Fault{Match: s.remove, Status: 404, Detail: "It was not found"})()
		s.finishes(write{"delete", s.remove, nil}, "after a 404")
	})
}

// TestAccTable_unlisted answers every read and every list with 404, which says nothing about the object: the state keeps it.
func TestAccTable_unlisted(t *testing.T) {
	eachDeletable(t, func(s *subject) {
		before := s.State.Attributes()
		s.Plane.Arm(devserver.Fault{Match: s.reads(), Status: 404, Times: 1000}, devserver.Fault{Match: s.list, Status: 404, Times: 1000})()
		contains(s.t, s.Refresh(), s.cannot("read"), "Status: 404")
		if diff := cmp.Diff(before, s.State.Attributes()); diff != "" {
			s.t.Errorf("the state (-before +after):\n%s", diff)
		}
		s.recovers()
		s.converges("afterwards", s.config)
	})
}

// TestAccTable_updatedMeanwhile applies updates of what was deleted after their plan: an error says so.
func TestAccTable_updatedMeanwhile(t *testing.T) {
	eachDeletable(t, func(s *subject) {
		s.needs(s.update != "", "The provider updates nothing of it.")
		s.needs(s.update != s.create, "A 404 is about what the object refers to: TestAccAgentProviderToken_deletedMeanwhile.")
		changed := s.with(s.change)
		planned, _ := s.Plan(changed)
		s.Plane.Arm(devserver.Fault{Match: s.update, Status: 404, Detail: "It was not found.", Times: 9})()
		contains(s.t, s.Apply(planned), s.cannot("update"), "it may have been deleted after this plan. Plan again.")
		s.recovers()
		planned, _ = s.Plan(changed)
		s.deleted()
		contains(s.t, s.Apply(planned), "ERROR: ", "it was deleted after this plan. Plan again.")
		s.converges("again", changed)
	})
}

// TestAccTable_protected refuses to destroy and to replace what is protected, also on request, if it is tainted, and in a plan that releases it.
// Protecting and releasing it sends nothing.
func TestAccTable_protected(t *testing.T) {
	eachDeletable(t, func(s *subject) {
		s.needs(s.argument("deletion_protection") != nil, "The resource has no protection.")
		writes := func() int { return s.sent(s.create) + s.sent(s.update) + s.sent(s.remove) }
		before, protected := writes(), s.with(object{"deletion_protection": true})
		s.converges("protected", protected)
		healthy := s.State
		_, told := s.PlanOnly(nil)
		contains(s.t, told, "ERROR: ", "would be destroyed", "its deletion_protection is true")
		for _, released := range []bool{false, true} {
			_, told = s.PlanOnly(s.with(object{"deletion_protection": !released, s.key: "other"}))
			contains(s.t, told, "ERROR: ", "Changing "+s.key+" replaces "+s.label, "its deletion_protection is true")
		}
		_, told = s.Replace(protected)
		contains(s.t, told, "ERROR: ", "would be replaced on request")
		s.State = healthy.Taint()
		planned, _ := s.Plan(protected)
		contains(s.t, s.Apply(planned), "ERROR: ", "run `terraform untaint` with its address first")
		s.State = healthy
		s.converges("released", s.config)
		if sent := writes() - before; sent > 0 {
			s.t.Errorf("%d writes were sent", sent)
		}
	})
}

// TestAccTable_goneProtected destroys what was deleted elsewhere although it is protected, with and without a refresh: nothing blocks that.
func TestAccTable_goneProtected(t *testing.T) {
	eachDeletable(t, func(s *subject) {
		s.needs(s.argument("deletion_protection") != nil, "The resource has no protection.")
		for _, plan := range []func(object) (*core.Planned, string){s.Plan, s.PlanOnly} {
			s.converges("protected", s.with(object{"deletion_protection": true}))
			if _, told := plan(nil); !strings.Contains(told, "ERROR: ") {
				s.t.Fatalf("the plan to destroy what is protected isn't refused: %s", told)
			}
			s.Refresh() // What no read has shown isn't proved gone.
			s.deleted()
			planned, told := plan(nil)
			if told += s.Apply(planned); strings.Contains(told, "ERROR: ") || s.State.Exists() {
				s.t.Errorf("the destruction fails: %s", told)
			}
		}
	})
}

// TestAccTable_deletedMeanwhile applies a destruction of what was deleted after its plan: it succeeds.
func TestAccTable_deletedMeanwhile(t *testing.T) {
	eachDeletable(t, func(s *subject) {
		planned, _ := s.Plan(nil)
		s.deleted()
		if told := s.Apply(planned); strings.Contains(told, "ERROR: ") || s.State.Exists() {
			s.t.Errorf("the destruction fails: %s", told)
		}
	})
}
