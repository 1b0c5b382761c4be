package figure

import (
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// Summaries returns the figures of a project's traces in a time range, in total and per step; the end is exclusive.
func Summaries(r RollupReader, workspaceID, projectID string, from, to time.Time, step time.Duration) (all Summary, steps []Summary, _ error) {
	f := store.RunFilter{WorkspaceID: workspaceID, ProjectIDs: []string{projectID}, Root: new(true), From: &from, To: &to}
	figures, err := InSteps(r, f, Starts(from, to, step), false)
	if err != nil {
		return all, nil, err
	}
	sum, err := Together(figures) // A trace has one root.
	if err != nil {
		return all, nil, err
	}
	for _, one := range figures {
		steps = append(steps, one.Summary())
	}
	return sum.Summary(), steps, nil
}

// Starts returns the start times of steps of the same length; the last one may be cut short.
func Starts(from, to time.Time, step time.Duration) (all []time.Time) {
	for at := from; at.Before(to); at = at.Add(step) {
		all = append(all, at)
	}
	return all
}
