package devserver

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
)

// Arm lets something go wrong; POST /dev/faults does the same for the caller's workspace.
func (s *Server) Arm(f Fault) error { return s.faults.arm(f) }

func armFault(c *call) (answer, error) {
	var f Fault
	dec := json.NewDecoder(bytes.NewReader(c.body))
	dec.DisallowUnknownFields() // A misspelt fault would never strike.
	if err := dec.Decode(&f); err != nil {
		return answer{}, badRequest("The fault can't be read: %s", err)
	}
	f.WorkspaceID = c.workspaceID
	if err := c.server.Arm(f); err != nil {
		return answer{}, badRequest("%s", err)
	}
	return answer{status: http.StatusNoContent}, nil
}

type faultsAnswer struct {
	Faults []Fault `json:"faults"`
}

// listFaults shows what is still armed for the caller's workspace.
func listFaults(c *call) (answer, error) {
	return ok(faultsAnswer{Faults: c.server.faults.list(c.workspaceID)}), nil
}

func clearFaults(c *call) (answer, error) {
	c.server.faults.clear(c.workspaceID)
	return answer{status: http.StatusNoContent}, nil
}

func (q *faults) list(workspaceID string) []Fault {
	q.mu.Lock()
	defer q.mu.Unlock()
	concerned := []Fault{}
	for _, f := range q.armed {
		if f.concerns(workspaceID) {
			concerned = append(concerned, f)
		}
	}
	return concerned
}

func (q *faults) clear(workspaceID string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.armed = slices.DeleteFunc(q.armed, func(f Fault) bool { return f.concerns(workspaceID) })
}
