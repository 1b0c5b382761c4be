package figure

import (
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// Summaries returns the figures of a project's traces in a time range, in total and per step; the end is exclusive.
func (c *Charts) Summaries(r Snapshot, workspaceID, projectID string, from, to time.Time, step time.Duration) (all Summary, steps []Summary, _ error) {
	key := groupsKey{workspaceID: workspaceID, projectID: projectID, from: from.UTC(), to: to.UTC(), step: step}
	if known := c.groups.read(r.Snapshot(), key); known != nil {
		return known[0].All, known[0].Steps, nil
	}
	all, steps, err := summaries(r, key)
	if err == nil {
		c.groups.keep(r.Snapshot(), key, []GroupSummary{{All: all, Steps: steps}})
	}
	return all, steps, err
}

func summaries(r Reader, k groupsKey) (all Summary, steps []Summary, _ error) {
	f := store.RunFilter{WorkspaceID: k.workspaceID, ProjectIDs: []string{k.projectID}, Root: new(true), From: &k.from, To: &k.to}
	figures, err := InSteps(r, f, Starts(k.from, k.to, k.step), false)
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

// Starts returns the start times of steps of the same length. The last one may be cut short and, if the range doesn't start with a quarter
// of an hour, the first one, too: figures are rolled up by quarters.
func Starts(from, to time.Time, step time.Duration) (all []time.Time) {
	for at := from; at.Before(to); at = FirstStep(at, step).Add(step) {
		all = append(all, at)
	}
	return all
}

// FirstStep is when the step with which a range begins would begin if it weren't cut short.
func FirstStep(from time.Time, step time.Duration) time.Time {
	const quarter = 15 * time.Minute
	if step%quarter != 0 {
		return from
	}
	return from.Truncate(quarter)
}
