package table

import (
	"cmp"
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// moments are points of a write in which the user presses Ctrl-C, by what happens to the request.
var moments = map[string]struct {
	// read says that it is the first read after the write.
	read bool
	do   func(interrupt func()) providertest.Interruption
}{
	"before the write arrives": {do: func(interrupt func()) providertest.Interruption {
		return func(http.ResponseWriter, *http.Request, http.Handler) {
			interrupt()
			panic(http.ErrAbortHandler)
		}
	}},
	"after the write is done": {do: func(interrupt func()) providertest.Interruption {
		return func(_ http.ResponseWriter, r *http.Request, pass http.Handler) {
			pass.ServeHTTP(httptest.NewRecorder(), r)
			interrupt()
			panic(http.ErrAbortHandler)
		}
	}},
	"at the next read": {read: true, do: func(interrupt func()) providertest.Interruption {
		return func(http.ResponseWriter, *http.Request, http.Handler) {
			interrupt()
			panic(http.ErrAbortHandler)
		}
	}},
}

// TestAccTable_interrupted presses Ctrl-C in each moment of each write: users are told, the state has what was made, and the next apply
// finishes the work.
func TestAccTable_interrupted(t *testing.T) {
	eachRow(t, func(s *subject) {
		for name, moment := range moments {
			s.t.Run(name, func(t *testing.T) {
				newSubject(t, s.typeName).eachWrite("", func(s *subject, w write) {
					planned, _ := s.Plan(w.config)
					ctx, interrupt := context.WithCancel(s.t.Context())
					defer interrupt()
					match, before := w.match, s.sent(w.match)
					written := func() bool { return !moment.read || s.sent(w.match) > before }
					if moment.read {
						match = cmp.Or(s.confirms, s.reads())
					}
					s.interrupt(match, 1000, func(answer http.ResponseWriter, r *http.Request, pass http.Handler) {
						if ctx.Err() == nil && written() {
							moment.do(interrupt)(answer, r, pass)
						}
						pass.ServeHTTP(answer, r)
					})
					told := s.Interrupted(ctx, planned)
					interrupted := ctx.Err() != nil
					if interrupted && !strings.Contains(told, "nterrupted") && !strings.Contains(told, "Stopped waiting") && !strings.Contains(told, "canceled") {
						s.t.Errorf("nothing is told of the interruption: %s", told)
					}
					if len(s.found()) == 1 && !s.State.Exists() {
						s.t.Errorf("the service has the object, and the state doesn't: %s", told)
					}
					s.finishes(w, "afterwards")
					if unread := moment.read && slices.Contains(s.unproved, w.operation); interrupted == unread {
						s.t.Errorf("interrupted: %t, and the row says that nothing reads the object after it: %t", interrupted, unread)
					}
				})
			})
		}
	})
}
