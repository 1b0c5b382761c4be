package devserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/refusal"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
)

// Arm adds a fault; POST /dev/faults does the same for the caller's workspace.
func (s *Server) Arm(f Fault) error {
	if f.Rollout != nil {
		if err := s.control.CheckRolloutFault(*f.Rollout); err != nil {
			return fmt.Errorf("fault: %w", err)
		}
	}
	return s.rest.Faults.Arm(f)
}

func (s *Server) armFault(c *rest.Call) (rest.Answer, error) {
	var f Fault
	dec := json.NewDecoder(bytes.NewReader(c.Body))
	dec.DisallowUnknownFields() // A misspelt fault would never hit.
	if err := dec.Decode(&f); err != nil {
		return rest.Answer{}, refusal.Broken("Invalid fault: %s", err)
	}
	f.WorkspaceID = c.WorkspaceID
	if err := s.Arm(f); err != nil {
		return rest.Answer{}, refusal.Broken("%s", err)
	}
	return rest.Answer{Status: http.StatusNoContent}, nil
}

type faultsAnswer struct {
	Faults []Fault `json:"faults"`
}

// listFaults returns the faults still armed for the caller's workspace.
func (s *Server) listFaults(c *rest.Call) (rest.Answer, error) {
	return rest.OK(faultsAnswer{Faults: s.rest.Faults.List(c.WorkspaceID)}), nil
}

func (s *Server) clearFaults(c *rest.Call) (rest.Answer, error) {
	s.rest.Faults.Clear(c.WorkspaceID)
	return rest.Answer{Status: http.StatusNoContent}, nil
}

// Requests lists the requests of all workspaces, oldest first; requests under /dev, and without a valid key, are not recorded.
func (s *Server) Requests() []Request { return s.rest.Requests.List() }

type requestsAnswer struct {
	Requests []Request `json:"requests"`
	// WithoutWorkspace is the number of requests that belong to no workspace.
	WithoutWorkspace int64 `json:"requests_without_workspace"`
}

// listRequests returns the requests of the caller's workspace.
func (s *Server) listRequests(c *rest.Call) (rest.Answer, error) {
	return rest.OK(requestsAnswer{
		Requests: append([]Request{}, s.rest.Requests.Of(c.WorkspaceID)...), WithoutWorkspace: s.rest.Requests.WithoutWorkspace(),
	}), nil
}

// devEndpoints control the server itself.
func (s *Server) devEndpoints() []rest.Endpoint {
	return []rest.Endpoint{
		{Dev: true, Path: "/dev/requests", Methods: rest.Methods{http.MethodGet: s.listRequests}},
		{Dev: true, Path: "/dev/faults", Methods: rest.Methods{
			http.MethodGet:    s.listFaults,
			http.MethodPost:   s.armFault,
			http.MethodDelete: s.clearFaults,
		}},
	}
}
