package controlplane

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// CheckRolloutFault returns an error if a fault is invalid.
func (s *Service) CheckRolloutFault(f rest.RolloutFault) error {
	states := stepsOf(api.SourceGitHost, s.cfg.Dialect) // All that there are.
	switch {
	case !passes(states, f.State):
		return fmt.Errorf("rollout.state %q is not a state of a rollout: use one of %v",
			f.State, form.Collect(states, func(s step) api.RevisionStatus { return s.status }))
	case isFinal(f.Status):
		return fmt.Errorf("rollout.status %q is a final status: omit it to let the rollout fail in %s",
			f.Status, f.State)
	}
	return nil
}

// isFinal reports whether clients treat a status as the end of a rollout, successful or not.
func isFinal(status api.RevisionStatus) bool {
	return status == api.RevisionDeployed || strings.Contains(string(status), "FAILED")
}

// faultOf returns what goes wrong with a new revision, as JSON to be stored with it; nil if nothing does. An armed fault is used up.
func (s *Service) faultOf(c *rest.Call, d store.Deployment, config api.SourceRevisionConfig) (*string, error) {
	course := stepsOf(api.Source(d.Source), s.cfg.Dialect)
	armed, hit, err := s.cfg.Faults.Take(c.Tx, func(f rest.Fault) bool {
		return f.Rollout != nil && f.Concerns(c.WorkspaceID) && passes(course, f.Rollout.State)
	})
	if err != nil {
		return nil, err
	}
	fault := armed.Rollout
	if !hit {
		reason, err := unbuildable(c, d, config)
		if err != nil || reason == "" {
			return nil, err
		}
		fault = &rest.RolloutFault{State: api.RevisionBuilding, Message: reason}
	}
	text, err := json.Marshal(fault)
	if err != nil {
		return nil, err
	}
	return new(string(text)), nil
}
