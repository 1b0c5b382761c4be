package table

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest/core"
)

// write is an operation that sends a write, whose request match describes, and the configuration that it applies.
type write struct {
	operation, match string
	config           object
}

// eachWrite tests a behaviour with each write of a row, in an order in which each has something to do. when may be empty.
func (s *subject) eachWrite(when string, test func(s *subject, w write)) {
	for _, w := range []write{{"create", s.create, s.config}, {"update", s.update, s.with(s.change)}, {"delete", s.remove, nil}} {
		s.t.Run(strings.Trim(when+"/"+w.operation, "/"), func(t *testing.T) {
			one := *s
			one.t = t
			one.needs(w.match != "", "The provider sends no such request.")
			test(&one, w)
		})
	}
}

// TestAccTable_throttled answers each request twice with 429: it is sent again when the service allows it.
func TestAccTable_throttled(t *testing.T) {
	eachRow(t, func(s *subject) {
		s.eachWrite("", func(s *subject, w write) {
			s.throttles(w.operation, w.match, func() string { return s.apply(w.config) })
			if w.operation == "create" && s.read != "" {
				s.throttles("read", s.read, s.Refresh)
			}
		})
	})
}

func (s *subject) throttles(name, match string, do func() string) {
	s.t.Helper()
	s.Plane.Arm(devserver.Fault{Match: match, Status: 429, RetryAfter: new(int64(7)), Times: 2})()
	start, before := s.Plane.Clock.Now(), s.sent(match)
	told := do()
	if waited, sent := s.Plane.Clock.Now().Sub(start), s.sent(match)-before; told != "" || waited < 14*time.Second || sent < 3 || sent > 4 { // One proves a deletion.
		s.t.Errorf("%s: %d requests in %s, want 3 in 14 s: %s", name, sent, waited, told)
	}
}

// TestAccTable_lost loses the reply to each write in every way, after the work was done: nothing is done twice, and the state has it. What
// says the same again may be sent again.
func TestAccTable_lost(t *testing.T) {
	eachRow(t, func(s *subject) {
		for _, name := range slices.Sorted(maps.Keys(providertest.LostReplies)) {
			loses := providertest.LostReplies[name]
			if s.record { // The last one stays.
				s.config, s.State = s.with(object{s.key: name}), core.Object{}
			}
			s.eachWrite(name, func(s *subject, w write) {
				var got atomic.Int64
				s.interrupt(w.match, 1000, func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
					if got.Add(1) == 1 {
						loses(w, r, pass)
						return
					}
					pass.ServeHTTP(w, r)
				})
				told := s.apply(w.config)
				again := w.operation == "delete" || s.record || w.operation == "update" && !strings.HasPrefix(w.match, "PATCH ")
				unclear := w.operation == "delete" && name == "page with status 200" // The next refresh shows that it is gone.
				if strings.Contains(told, "ERROR: ") && !unclear || got.Load() != 1 && !again {
					s.t.Errorf("%s, %s: the service got %d requests: %s", w.operation, name, got.Load(), told)
				}
				s.finishes(w, name)
			})
		}
	})
}

// interrupt has the next requests of a pattern answered in another way.
func (s *subject) interrupt(match string, times int, do providertest.Interruption) {
	method, path, _ := strings.Cut(placeholder.ReplaceAllString(match, "*"), " ")
	s.Plane.Interrupt(method+" "+s.Plane.Dialect().Path(path), do)(times)
}

// finishes expects an apply to do what a write has left undone, and the plan after it to be empty.
func (s *subject) finishes(w write, when string) {
	s.t.Helper()
	if w.config != nil {
		s.converges(w.operation+", "+when, w.config)
		return
	}
	told := s.apply(nil)
	s.Plane.Clock.Advance(providertest.Rollout)
	if strings.Contains(told, "ERROR: ") || len(s.found()) > 0 {
		s.t.Errorf("%s, %s: %d are left: %s", w.operation, when, len(s.found()), told)
	}
}

// TestAccTable_notArrived loses each write before the work is done, once: it is sent again, unless that could do the work twice.
func TestAccTable_notArrived(t *testing.T) {
	eachRow(t, func(s *subject) {
		for name, fault := range map[string]devserver.Fault{"closed connection": {DropBefore: true}, "gateway": {Status: 504}} {
			if s.record {
				s.config, s.State = s.with(object{s.key: name}), core.Object{}
			}
			s.eachWrite(name, func(s *subject, w write) {
				fault.Match = w.match
				s.Plane.Arm(fault)()
				told := s.apply(w.config)
				if slices.Contains(s.once, w.operation) {
					contains(s.t, told, s.cannot(w.operation), unknown[w.operation], "may still appear")
				} else if strings.Contains(told, "ERROR: ") {
					s.t.Errorf("%s, %s: %s", w.operation, name, told)
				}
				s.finishes(w, name)
			})
		}
	})
}

var unknown = map[string]string{"create": " was created is unknown", "update": " was changed is unknown"}

// TestAccTable_neverArrived loses each write, however often it is sent, or a proxy answers it: an error says so, the state stays, and the
// next apply does the work.
func TestAccTable_neverArrived(t *testing.T) {
	eachRow(t, func(s *subject) {
		s.eachWrite("", func(s *subject, w write) {
			for _, fault := range []devserver.Fault{{DropBefore: true}, {Status: 200, HTML: "<p>Sign in"}} {
				before := s.State.Attributes()
				fault.Match, fault.Times = w.match, 1000
				s.Plane.Arm(fault)()
				contains(s.t, s.apply(w.config), s.cannot(w.operation), page(w.operation, fault.HTML), unknown[w.operation])
				s.recovers()
				if diff := cmp.Diff(before, s.State.Attributes()); diff != "" {
					s.t.Errorf("%s: the state (-before +after):\n%s", w.operation, diff)
				}
			}
			s.finishes(w, "afterwards")
		})
	})
}

// page is what an error says of a page in the place of an answer.
func page(operation, html string) string {
	switch {
	case html == "":
		return ""
	case operation == "delete":
		return "returned a web page instead of a response of the control plane. Status: 200"
	}
	return "an HTML page instead of JSON"
}

// TestAccTable_undecided loses the reply to an update that then can't be read: an error says that it is unknown, the state stays, and the
// next plan compares.
func TestAccTable_undecided(t *testing.T) {
	eachRow(t, func(s *subject) {
		s.needs(s.update != "", "The provider updates nothing of it.")
		s.converges("create", s.config)
		changed, before := s.with(s.change), s.State.Attributes()
		planned, _ := s.Plan(changed)
		s.interrupt(s.update, 1, func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
			s.Plane.Arm(devserver.Fault{Match: s.reads(), Status: 403, Detail: "boom", Times: 1000})()
			providertest.LostReplies["closed connection"](w, r, pass)
		})
		contains(s.t, s.Apply(planned), s.cannot("update"), unknown["update"])
		s.recovers()
		if diff := cmp.Diff(before, s.State.Attributes()); diff != "" {
			s.t.Errorf("the state (-before +after):\n%s", diff)
		}
		s.converges("afterwards", changed)
	})
}

// TestAccTable_listUnread creates an object although the list, which shows whether it exists already, can't be read right before.
func TestAccTable_listUnread(t *testing.T) {
	eachRow(t, func(s *subject) {
		planned, _ := s.Plan(s.config)
		s.Plane.Arm(devserver.Fault{Match: s.list, Status: 403, Detail: "Forbidden"})()
		if told := s.Apply(planned); strings.Contains(told, "ERROR: ") {
			s.t.Errorf("the list isn't needed: %s", told)
		}
		s.recovers() // Not every creation looks there.
		s.converges("afterwards", s.config)
	})
}
