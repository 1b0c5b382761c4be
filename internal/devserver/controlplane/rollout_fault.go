package controlplane

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
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

// rolloutFault uses up a fault for a new revision and returns it as JSON to be stored with the revision; nil if there is
// none.
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
