package controlplane

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
)

// CheckRolloutFault says what is wrong with a fault.
func CheckRolloutFault(f rest.RolloutFault) error {
	switch {
	case failures[f.State] == "":
		return fmt.Errorf("rollout.state %q is not a state that a rollout passes through: use one of %v",
			f.State, rest.SortedKeys(stateNames()))
	case isFinal(f.Status):
		return fmt.Errorf("rollout.status %q is how a rollout ends: leave it out to let the rollout fail in %s",
			f.Status, f.State)
	}
	return nil
}

// isFinal says that clients take a status for the end of a rollout, good or bad.
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

// rolloutFault uses up the fault for a new revision, as JSON to be stored with it; nil when all goes well.
func (s *Service) rolloutFault(source api.Source, workspaceID string) (*string, error) {
	f, hit := s.cfg.Faults.Take(func(f rest.Fault) bool {
		return f.Rollout != nil && f.Concerns(workspaceID) && passes(source, f.Rollout.State)
	})
	if !hit {
		return nil, nil
	}
	text, err := json.Marshal(f.Rollout)
	if err != nil {
		return nil, err
	}
	stored := string(text)
	return &stored, nil
}
