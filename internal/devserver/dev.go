package devserver

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// Arm adds a fault; POST /dev/faults does the same for the caller's workspace.
func (s *Server) Arm(f Fault) error {
	if s.rest.Faults.Shared == nil {
		return s.arm(nil, f)
	}
	return s.rest.Store.Do(context.Background(), func(tx *store.Tx) error { return s.arm(tx, f) })
}

func (s *Server) arm(tx *store.Tx, f Fault) error {
	if f.Rollout != nil {
		if err := s.control.CheckRolloutFault(*f.Rollout); err != nil {
			return fmt.Errorf("fault: %w", err)
		}
	}
	return s.rest.Faults.Arm(tx, f)
}

func (s *Server) armFault(c *rest.Call) (rest.Answer, error) {
	var f Fault
	if err := decodeStrictly(c.Body, &f); err != nil { // A misspelt fault would never hit.
		return rest.Answer{}, form.Broken("Invalid fault: %s", err)
	}
	f.WorkspaceID = c.WorkspaceID
	if err := s.arm(c.Tx, f); err != nil {
		return rest.Answer{}, form.Broken("%s", err)
	}
	return rest.Answer{Status: http.StatusNoContent}, nil
}

// decodeStrictly refuses members that the type doesn't have.
func decodeStrictly(body []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.DisallowUnknownFields()
	return dec.Decode(into)
}

type faultsAnswer struct {
	Faults []Fault `json:"faults"`
}

// listFaults returns the faults still armed for the caller's workspace.
func (s *Server) listFaults(c *rest.Call) (rest.Answer, error) {
	armed, err := s.rest.Faults.List(c.Tx, c.WorkspaceID)
	return rest.OK(faultsAnswer{Faults: append([]Fault{}, armed...)}), err
}

func (s *Server) clearFaults(c *rest.Call) (rest.Answer, error) {
	return rest.Answer{Status: http.StatusNoContent}, s.rest.Faults.Clear(c.Tx, c.WorkspaceID)
}

// Requests lists the requests of all workspaces, oldest first; requests under /dev, and without a valid key, are not recorded.
func (s *Server) Requests() (all []Request) {
	if err := s.rest.Store.Read(context.Background(), func(tx *store.Tx) (err error) {
		all, err = s.rest.Requests.Of(tx, "")
		return err
	}); err != nil {
		s.cfg.Logger.Warn("the requests can't be read", "error", err)
	}
	return all
}

type requestsAnswer struct {
	Requests []Request `json:"requests"`
	// WithoutWorkspace is the number of requests that belong to no workspace.
	WithoutWorkspace int64 `json:"requests_without_workspace"`
	// NextOffset is where the next page starts; nil on the last one.
	NextOffset *int `json:"next_offset"`
}

// listRequests returns a page of the requests of the caller's workspace.
func (s *Server) listRequests(c *rest.Call) (rest.Answer, error) {
	p := c.Params()
	page := store.Page{Limit: p.Integer("limit", limits.LongPage, 1, limits.LongPage), Offset: p.Integer("offset", 0, 0, 0)}
	if err := p.Err(); err != nil {
		return rest.Answer{}, err
	}
	requests, err := s.rest.Requests.Of(c.Tx, c.WorkspaceID)
	if err != nil {
		return rest.Answer{}, err
	}
	without, err := s.rest.Requests.WithoutWorkspace(c.Tx)
	answer := requestsAnswer{Requests: append([]Request{}, store.Window(requests, page)...), WithoutWorkspace: without}
	if end := page.Offset + len(answer.Requests); end < len(requests) {
		answer.NextOffset = &end
	}
	return rest.OK(answer), err
}

type clockAnswer struct {
	Now string `json:"now"`
	// Ahead is what the clock has been advanced by, such as 24h0m0s.
	Ahead string `json:"ahead"`
}

func clockOf(now time.Time, ahead time.Duration) rest.Answer {
	return rest.OK(clockAnswer{now.Format(time.RFC3339Nano), ahead.String()})
}

// readClock returns the time of the server.
func (s *Server) readClock(c *rest.Call) (rest.Answer, error) {
	return clockOf(c.Now, s.rest.Store.Ahead()), nil
}

// advanceClock makes everything due that would be after a duration, in all workspaces.
func (s *Server) advanceClock(c *rest.Call) (rest.Answer, error) {
	var step struct{ Advance string }
	if err := decodeStrictly(c.Body, &step); err != nil {
		return rest.Answer{}, form.Broken("Invalid step of the clock: %s", err)
	}
	by, err := time.ParseDuration(step.Advance)
	if by = by.Truncate(time.Microsecond); err != nil || by <= 0 {
		return rest.Answer{}, form.Broken(`advance = %q is not a positive duration, such as "90s" or "720h".`, step.Advance)
	}
	if left := limits.ClockAhead - c.Tx.Ahead(); by > left {
		return rest.Answer{}, form.Broken("advance = %q is more than is left of %s, which the clock can be advanced by in all: %s.",
			step.Advance, limits.ClockAhead, left)
	}
	if err := c.Tx.AdvanceClock(by); err != nil {
		return rest.Answer{}, err
	}
	return clockOf(c.Now.Add(by), c.Tx.Ahead()), nil
}

// devEndpoints control the server itself.
func (s *Server) devEndpoints() []rest.Endpoint {
	return []rest.Endpoint{
		{Dev: true, Path: "/dev/requests", Methods: rest.Methods{http.MethodGet: s.listRequests}},
		{Dev: true, Everybody: true, Path: "/dev/faults", Methods: rest.Methods{
			http.MethodGet:    s.listFaults,
			http.MethodPost:   s.armFault,
			http.MethodDelete: s.clearFaults,
		}},
		{Dev: true, Everybody: true, Path: "/dev/clock", Methods: rest.Methods{http.MethodGet: s.readClock, http.MethodPost: s.advanceClock}},
	}
}
