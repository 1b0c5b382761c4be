package table

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// refusals are answers to a write that leave nothing in doubt, and what users are told.
var refusals = []struct {
	fault devserver.Fault
	want  string
}{
	{devserver.Fault{Status: 400, Detail: "Bad"}, "Bad. Status: 400 · request id: "},
	{devserver.Fault{Status: 401, Detail: "Who?"}, "Check api_key (AGENTPLANE_API_KEY)"},
	{devserver.Fault{Status: 403, Detail: "Not yours"}, "Check that the API key has this permission in the workspace"},
	{devserver.Fault{Status: 404, HTML: "<title>Lost</title>"}, `returned a web page ("Lost") instead of a response of the control plane.`},
	{devserver.Fault{Status: 404, Detail: "Not Found"}, "Not Found. Status: 404"},
	{devserver.Fault{Status: 409, Detail: "Busy", Times: 1000}, "Busy. Status: 409"},
	{devserver.Fault{Status: 422, Detail: "Wrong"}, "Wrong. Status: 422"},
	{devserver.Fault{Status: 429, Times: 1000}, "The service limits the rate of requests"},
}

// TestAccTable_refused refuses each kind of write in each way: an error says what and why, state and service stay as they are, and the
// next apply succeeds.
func TestAccTable_refused(t *testing.T) {
	eachRow(t, func(s *subject) {
		s.eachWrite("", func(s *subject, w write) {
			before := s.State.Attributes()
			for _, refusal := range refusals {
				refusal.fault.Match = w.match
				s.Plane.Arm(refusal.fault)()
				told := s.apply(w.config)
				contains(s.t, told, s.cannot(w.operation), refusal.want)
				if refusal.fault.Status == http.StatusConflict {
					contains(s.t, told, s.busy[w.operation])
				}
				s.recovers()
				s.Refresh()
				if diff := cmp.Diff(before, s.State.Attributes()); diff != "" {
					s.t.Errorf("the state (-before +after):\n%s", diff)
				}
			}
			s.finishes(w, "afterwards")
		})
	})
}

// TestAccTable_unread refreshes while no answer says anything of the object: an error says why, and the state stays as it is.
func TestAccTable_unread(t *testing.T) {
	eachRow(t, func(s *subject) {
		s.converges("create", s.config)
		before := s.State.Attributes()
		for _, failure := range providertest.ReadFailures {
			failure.Fault.Match = s.reads()
			s.Plane.Arm(failure.Fault)()
			contains(s.t, s.Refresh(), s.cannot("read"), s.addressed(failure.Want))
			s.recovers()
			if diff := cmp.Diff(before, s.State.Attributes()); diff != "" {
				s.t.Errorf("the state (-before +after):\n%s", diff)
			}
		}
		s.converges("afterwards", s.config)
	})
}

// addressed names the address of the service that has the objects.
func (s *subject) addressed(advice string) string {
	if strings.Contains(s.list, " /api/") {
		return strings.NewReplacer("base_url", "tracing_url", "AGENTPLANE_BASE_URL", "AGENTPLANE_TRACING_URL").Replace(advice)
	}
	return advice
}
