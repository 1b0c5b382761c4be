package controlplane

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
)

var birth = time.Date(2026, 5, 2, 10, 0, 0, 0, time.UTC)

func after(d time.Duration) time.Time { return birth.Add(d) }

// course returns the states that a rollout has reached at a time, each with its start. A final one ends with a full stop.
func course(r rollout, at time.Duration) string {
	var states []string
	for _, s := range r.history(after(at)) {
		text := fmt.Sprint(s.Status, " ", s.Since.Sub(birth), " ", s.Message)
		if text = strings.TrimSpace(text); s.Finished {
			text += "."
		}
		states = append(states, text)
	}
	return strings.Join(states, ", ")
}

// TestHistory checks the states of rollouts, of which the last is that at the time: see TestRolloutsNeverGoBack.
func TestHistory(t *testing.T) {
	t.Parallel()
	repo := rollout{steps: steps[api.SourceGitHost], createdAt: birth, length: 20 * time.Second}
	image := rollout{steps: steps[api.SourceExternalContainer], createdAt: birth, length: 20 * time.Second}
	now := rollout{steps: steps[api.SourceGitHost], createdAt: birth}
	with := func(r rollout, fault rest.RolloutFault) rollout {
		r.fault = &fault
		return r
	}
	failing := func(r rollout, state api.RevisionStatus) rollout {
		return with(r, rest.RolloutFault{State: state, Message: "out of luck"})
	}
	stalling := func(r rollout, state api.RevisionStatus) rollout {
		return with(r, rest.RolloutFault{State: state, Stall: true})
	}
	renaming := func(r rollout, state api.RevisionStatus) rollout {
		return with(r, rest.RolloutFault{State: state, Status: "POLISHING"})
	}
	superseded := func(r rollout, d time.Duration) rollout {
		r.supersededAt = new(after(d))
		return r
	}
	const (
		second   = time.Second
		building = "QUEUED 0s, AWAITING_BUILD 2s, BUILDING 4s"
		waiting  = "QUEUED 0s, AWAITING_DEPLOY 3s"
	)
	for name, tc := range map[string]struct {
		rollout rollout
		at      time.Duration
		want    string
	}{
		"repository queued":           {repo, 0, "QUEUED 0s"},
		"repository awaits build":     {repo, 2 * second, "QUEUED 0s, AWAITING_BUILD 2s"},
		"repository builds":           {repo, 5 * second, building},
		"repository awaits deploy":    {repo, 12 * second, building + ", AWAITING_DEPLOY 12s"},
		"repository deploys":          {repo, 20*second - 1, building + ", AWAITING_DEPLOY 12s, DEPLOYING 13s"},
		"repository deployed":         {repo, 20 * second, building + ", AWAITING_DEPLOY 12s, DEPLOYING 13s, DEPLOYED 20s."},
		"deployed stays":              {repo, time.Hour, building + ", AWAITING_DEPLOY 12s, DEPLOYING 13s, DEPLOYED 20s."},
		"before it was created":       {repo, -second, "QUEUED 0s"},
		"image queued":                {image, 2 * second, "QUEUED 0s"},
		"image awaits no build":       {image, 3 * second, waiting},
		"image deploys":               {image, 6 * second, waiting + ", DEPLOYING 6s"},
		"image deployed":              {image, 20 * second, waiting + ", DEPLOYING 6s, DEPLOYED 20s."},
		"no time at all":              {now, 0, "QUEUED 0s, AWAITING_BUILD 0s, BUILDING 0s, AWAITING_DEPLOY 0s, DEPLOYING 0s, DEPLOYED 0s."},
		"not yet failed":              {failing(repo, api.RevisionBuilding), 11 * second, building},
		"create fails":                {failing(repo, api.RevisionQueued), time.Hour, "QUEUED 0s, CREATE_FAILED 2s out of luck."},
		"build fails while waiting":   {failing(repo, api.RevisionAwaitingBuild), time.Hour, "QUEUED 0s, AWAITING_BUILD 2s, BUILD_FAILED 4s out of luck."},
		"build fails":                 {failing(repo, api.RevisionBuilding), time.Hour, building + ", BUILD_FAILED 12s out of luck."},
		"deploy fails waiting":        {failing(image, api.RevisionAwaitingDeploy), time.Hour, waiting + ", DEPLOY_FAILED 6s out of luck."},
		"deploy fails":                {failing(image, api.RevisionDeploying), time.Hour, waiting + ", DEPLOYING 6s, DEPLOY_FAILED 20s out of luck."},
		"fails without any time":      {failing(now, api.RevisionBuilding), 0, "QUEUED 0s, AWAITING_BUILD 0s, BUILDING 0s, BUILD_FAILED 0s out of luck."},
		"a state never reached":       {failing(image, api.RevisionBuilding), time.Hour, waiting + ", DEPLOYING 6s, DEPLOYED 20s."},
		"stalls":                      {stalling(repo, api.RevisionBuilding), time.Hour, building},
		"stalls without any time":     {stalling(now, api.RevisionQueued), time.Hour, "QUEUED 0s"},
		"another status":              {renaming(repo, api.RevisionBuilding), 5 * second, "QUEUED 0s, AWAITING_BUILD 2s, POLISHING 4s"},
		"another status ends":         {renaming(repo, api.RevisionBuilding), 12 * second, "QUEUED 0s, AWAITING_BUILD 2s, POLISHING 4s, AWAITING_DEPLOY 12s"},
		"another status and deployed": {renaming(image, api.RevisionDeploying), time.Hour, waiting + ", POLISHING 6s, DEPLOYED 20s."},
		"another status that lasts": {
			with(now, rest.RolloutFault{State: api.RevisionDeploying, Status: api.RevisionInterrupted, Stall: true}), time.Hour,
			"QUEUED 0s, AWAITING_BUILD 0s, BUILDING 0s, AWAITING_DEPLOY 0s, INTERRUPTED 0s",
		},
		"superseded later":          {superseded(repo, 10*second), 9 * second, building},
		"superseded":                {superseded(repo, 10*second), 10 * second, building + ", SKIPPED 10s."},
		"superseded for good":       {superseded(repo, 10*second), time.Hour, building + ", SKIPPED 10s."},
		"deployed, then superseded": {superseded(image, 20*second), time.Hour, waiting + ", DEPLOYING 6s, DEPLOYED 20s."},
		"failed, then superseded":   {superseded(failing(repo, api.RevisionQueued), 3*second), time.Hour, "QUEUED 0s, CREATE_FAILED 2s out of luck."},
		"stalled, then superseded":  {superseded(stalling(repo, api.RevisionQueued), time.Minute), time.Hour, "QUEUED 0s, SKIPPED 1m0s."},
	} {
		if got := course(tc.rollout, tc.at); got != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
}

func TestStepsAddUp(t *testing.T) {
	t.Parallel()
	for _, source := range slices.Concat(api.Sources, api.ExtendedSources) {
		for _, dialect := range api.Dialects {
			total := 0
			for _, s := range stepsOf(source, dialect) {
				total += s.twentieths
				if s.twentieths <= 0 || !slices.Contains(api.RevisionStatuses, s.status) {
					t.Errorf("%s, %s: %q isn't a revision status with a share, but %d", source, dialect.Name, s.status, s.twentieths)
				}
				if failures[s.status] == "" {
					t.Errorf("%s, %s: failures has no entry for %s", source, dialect.Name, s.status)
				}
			}
			if total != 20 {
				t.Errorf("%s, %s: the shares add up to %d twentieths, want 20", source, dialect.Name, total)
			}
			if creating := stepsOf(source, dialect)[0].status == api.RevisionCreating; creating != (dialect == api.LangSmith) {
				t.Errorf("%s, %s: revisions begin as CREATING: %t", source, dialect.Name, creating)
			}
		}
	}
}

func TestSuccessor(t *testing.T) {
	t.Parallel()
	for status, want := range map[api.DeploymentStatus]struct {
		next                api.DeploymentStatus
		goneHere, goneThere bool
	}{
		api.DeploymentAwaitingDatabase:    {api.DeploymentReady, false, false},
		api.DeploymentAwaitingDelete:      {api.DeploymentAwaitingFinalDelete, true, false},
		api.DeploymentAwaitingFinalDelete: {"", true, true},
		api.DeploymentReady:               {api.DeploymentReady, false, false},
	} {
		for dialect, wantGone := range map[*api.Dialect]bool{api.Neutral: want.goneHere, api.LangSmith: want.goneThere} {
			if next, gone := successor(status, dialect); next != want.next || gone != wantGone {
				t.Errorf("%s: successor(%s) = %q, %v; want %q, %v", dialect.Name, status, next, gone, want.next, wantGone)
			}
		}
	}
}
