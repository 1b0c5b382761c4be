package devserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
)

// Arm lets something go wrong; POST /dev/faults does the same for the caller's workspace.
func (s *Server) Arm(f Fault) error {
	if f.Rollout != nil {
		if err := checkRolloutFault(*f.Rollout); err != nil {
			return fmt.Errorf("fault: %w", err)
		}
	}
	return s.rest.Faults.Arm(f)
}

func (s *Server) armFault(c *call) (answer, error) {
	var f Fault
	dec := json.NewDecoder(bytes.NewReader(c.body))
	dec.DisallowUnknownFields() // A misspelt fault would never strike.
	if err := dec.Decode(&f); err != nil {
		return answer{}, badRequest("The fault can't be read: %s", err)
	}
	f.WorkspaceID = c.workspaceID
	if err := s.Arm(f); err != nil {
		return answer{}, badRequest("%s", err)
	}
	return answer{status: http.StatusNoContent}, nil
}

type faultsAnswer struct {
	Faults []Fault `json:"faults"`
}

// listFaults shows what is still armed for the caller's workspace.
func (s *Server) listFaults(c *call) (answer, error) {
	return ok(faultsAnswer{Faults: s.rest.Faults.List(c.workspaceID)}), nil
}

func (s *Server) clearFaults(c *call) (answer, error) {
	s.rest.Faults.Clear(c.workspaceID)
	return answer{status: http.StatusNoContent}, nil
}

// Requests lists the requests of all workspaces, oldest first; requests under /dev are not recorded.
func (s *Server) Requests() []Request { return s.rest.Requests.List() }

type requestsAnswer struct {
	Requests []Request `json:"requests"`
}

// listRequests shows the requests of the caller's workspace.
func (s *Server) listRequests(c *call) (answer, error) {
	return ok(requestsAnswer{Requests: append([]Request{}, s.rest.Requests.Of(c.workspaceID)...)}), nil
}

// devEndpoints control the server itself.
func (s *Server) devEndpoints() []endpoint {
	return []endpoint{
		{Dev: true, Path: "/dev/requests", Methods: methods{http.MethodGet: s.listRequests}},
		{Dev: true, Path: "/dev/faults", Methods: methods{
			http.MethodGet:    s.listFaults,
			http.MethodPost:   s.armFault,
			http.MethodDelete: s.clearFaults,
		}},
	}
}
