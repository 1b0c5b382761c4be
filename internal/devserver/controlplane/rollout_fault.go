package controlplane

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// CheckRolloutFault returns an error if a fault is invalid.
func CheckRolloutFault(f rest.RolloutFault) error {
	switch {
	case failures[f.State] == "":
		return fmt.Errorf("rollout.state %q is not a state of a rollout: use one of %v",
			f.State, rest.SortedKeys(stateNames()))
	case isFinal(f.Status):
		return fmt.Errorf("rollout.status %q is a final status: omit it to let the rollout fail in %s",
			f.Status, f.State)
	}
	return nil
}

// isFinal says whether clients treat a status as the end of a rollout, successful or not.
func isFinal(status api.RevisionStatus) bool {
	return status == api.RevisionDeployed || strings.Contains(string(status), "FAILED")
}

func stateNames() map[string]bool {
	names := make(map[string]bool, len(failures))
	for state := range failures {
		names[string(state)] = true
	}
	return names
}

// faultOf returns what goes wrong with a new revision, as JSON to be stored with it; nil if nothing does. An armed fault is used up.
func (s *Service) faultOf(c *rest.Call, d store.Deployment, config api.SourceRevisionConfig) (*string, error) {
	source := api.Source(d.Source)
	armed, hit := s.cfg.Faults.Take(func(f rest.Fault) bool {
		return f.Rollout != nil && f.Concerns(c.WorkspaceID) && passes(source, f.Rollout.State)
	})
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
