package table

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// eachDeletable is eachRow for what can be deleted, once it exists.
func eachDeletable(t *testing.T, test func(s *subject)) {
	t.Helper()
	eachRow(t, func(s *subject) {
		if s.remove != "" {
			s.converges("create", s.config)
			test(s)
		}
	})
}

// deleted deletes the object as another user does, and waits until it is gone.
func (s *subject) deleted() {
	s.call(s.remove, nil, nil)
	s.Plane.Clock.Advance(providertest.Unseen)
}

// TestAccTable_disappears deletes the object elsewhere: a refresh says so, and the next apply creates it again.
func TestAccTable_disappears(t *testing.T) {
	eachDeletable(t, func(s *subject) {
		s.deleted()
		if told := s.Refresh(); !strings.Contains(told, "WARNING: ") || s.State.Exists() {
			s.t.Errorf("the state has it: %t; told %s", s.State.Exists(), told)
		}
		s.converges("again", s.config)
	})
}

// TestAccTable_oddNotFound answers one read and one deletion with 404: the object isn't gone, and then it is deleted.
func TestAccTable_oddNotFound(t *testing.T) {
	eachDeletable(t, func(s *subject) {
		before := s.State.Attributes()
		if s.read != "" {
			s.Plane.Arm(devserver.Fault{Match: s.read, Status: 404, Detail: "It was not found"})()
		}
		told := s.Refresh()
		if diff := cmp.Diff(before, s.State.Attributes()); diff != "" || told != "" {
			s.t.Errorf("told %s; the state (-before +after):\n%s", told, diff)
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

// TestAccTable_deletedMeanwhile applies plans of what was deleted after them: a destruction succeeds, and an update says so.
func TestAccTable_deletedMeanwhile(t *testing.T) {
	eachDeletable(t, func(s *subject) {
		if s.update != "" && s.update != s.create { // Otherwise a 404 is about what the object refers to.
			changed := s.with(s.change)
			planned, _ := s.Plan(changed)
			s.Plane.Arm(devserver.Fault{Match: s.update, Status: 404, Detail: "It was not found.", Times: 9})()
			contains(s.t, s.Apply(planned), s.cannot("update"), "it may have been deleted after this plan. Plan again.")
			s.recovers()
			planned, _ = s.Plan(changed)
			s.deleted()
			contains(s.t, s.Apply(planned), "ERROR: ", "it was deleted after this plan. Plan again.")
			s.converges("again", changed)
		}
		planned, _ := s.Plan(nil)
		s.deleted()
		if told := s.Apply(planned); strings.Contains(told, "ERROR: ") || s.State.Exists() {
			s.t.Errorf("the destruction fails: %s", told)
		}
	})
}
