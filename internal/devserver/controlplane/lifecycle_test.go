package controlplane

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
)

var birth = time.Date(2026, 5, 2, 10, 0, 0, 0, time.UTC)

func after(d time.Duration) time.Time { return birth.Add(d) }

func TestRolloutAt(t *testing.T) {
	t.Parallel()
	repo := rollout{steps: steps[api.SourceGitHost], createdAt: birth, length: 20 * time.Second}
	image := rollout{steps: steps[api.SourceExternalContainer], createdAt: birth, length: 20 * time.Second}
	failing := func(r rollout, state api.RevisionStatus) rollout {
		r.fault = &rest.RolloutFault{State: state, Message: "out of luck"}
		return r
	}
	stalling := func(r rollout, state api.RevisionStatus) rollout {
		r.fault = &rest.RolloutFault{State: state, Stall: true}
		return r
	}
	superseded := func(r rollout, d time.Duration) rollout {
		at := after(d)
		r.supersededAt = &at
		return r
	}
	renaming := func(r rollout, state api.RevisionStatus) rollout {
		r.fault = &rest.RolloutFault{State: state, Status: "POLISHING"}
		return r
	}
	now := rollout{steps: steps[api.SourceGitHost], createdAt: birth}

	for name, tc := range map[string]struct {
		rollout rollout
		at      time.Duration
		want    Stage
	}{
		"repository queued": {repo, 0, Stage{Status: api.RevisionQueued, Since: after(0)}},
		"repository awaits build": {
			repo,
			2 * time.Second,
			Stage{Status: api.RevisionAwaitingBuild, Since: after(2 * time.Second)},
		},
		"repository builds": {
			repo,
			5 * time.Second,
			Stage{Status: api.RevisionBuilding, Since: after(4 * time.Second)},
		},
		"repository awaits deploy": {
			repo,
			12 * time.Second,
			Stage{Status: api.RevisionAwaitingDeploy, Since: after(12 * time.Second)},
		},
		"repository deploys": {
			repo,
			20*time.Second - 1,
			Stage{Status: api.RevisionDeploying, Since: after(13 * time.Second)},
		},
		"repository deployed": {
			repo,
			20 * time.Second,
			Stage{Status: api.RevisionDeployed, Since: after(20 * time.Second), Finished: true},
		},
		"deployed stays": {
			repo,
			time.Hour,
			Stage{Status: api.RevisionDeployed, Since: after(20 * time.Second), Finished: true},
		},
		"image queued": {image, 2 * time.Second, Stage{Status: api.RevisionQueued, Since: after(0)}},
		"image awaits no build": {
			image,
			3 * time.Second,
			Stage{Status: api.RevisionAwaitingDeploy, Since: after(3 * time.Second)},
		},
		"image deploys": {
			image,
			6 * time.Second,
			Stage{Status: api.RevisionDeploying, Since: after(6 * time.Second)},
		},
		"image deployed": {
			image,
			20 * time.Second,
			Stage{Status: api.RevisionDeployed, Since: after(20 * time.Second), Finished: true},
		},
		"no time at all":        {now, 0, Stage{Status: api.RevisionDeployed, Since: after(0), Finished: true}},
		"before it was created": {repo, -time.Second, Stage{Status: api.RevisionQueued, Since: after(0)}},
		"not yet failed": {
			failing(repo, api.RevisionBuilding),
			11 * time.Second,
			Stage{Status: api.RevisionBuilding, Since: after(4 * time.Second)},
		},
		"create fails": {
			failing(repo, api.RevisionQueued),
			time.Hour,
			Stage{api.RevisionCreateFailed, after(2 * time.Second), "out of luck", true},
		},
		"build fails while waiting": {
			failing(repo, api.RevisionAwaitingBuild),
			time.Hour,
			Stage{api.RevisionBuildFailed, after(4 * time.Second), "out of luck", true},
		},
		"build fails": {
			failing(repo, api.RevisionBuilding),
			time.Hour,
			Stage{api.RevisionBuildFailed, after(12 * time.Second), "out of luck", true},
		},
		"deploy fails waiting": {
			failing(image, api.RevisionAwaitingDeploy),
			time.Hour,
			Stage{api.RevisionDeployFailed, after(6 * time.Second), "out of luck", true},
		},
		"deploy fails": {
			failing(image, api.RevisionDeploying),
			time.Hour,
			Stage{api.RevisionDeployFailed, after(20 * time.Second), "out of luck", true},
		},
		"fails without any time": {
			failing(now, api.RevisionBuilding),
			0,
			Stage{api.RevisionBuildFailed, after(0), "out of luck", true},
		},
		"a state never reached": {
			failing(image, api.RevisionBuilding),
			time.Hour,
			Stage{Status: api.RevisionDeployed, Since: after(20 * time.Second), Finished: true},
		},
		"stalls": {
			stalling(repo, api.RevisionBuilding),
			time.Hour,
			Stage{Status: api.RevisionBuilding, Since: after(4 * time.Second)},
		},
		"stalls without any time": {
			stalling(now, api.RevisionQueued),
			time.Hour,
			Stage{Status: api.RevisionQueued, Since: after(0)},
		},
		"another status": {
			renaming(repo, api.RevisionBuilding),
			5 * time.Second,
			Stage{Status: "POLISHING", Since: after(4 * time.Second)},
		},
		"another status ends": {
			renaming(repo, api.RevisionBuilding),
			12 * time.Second,
			Stage{Status: api.RevisionAwaitingDeploy, Since: after(12 * time.Second)},
		},
		"another status and deployed": {
			renaming(repo, api.RevisionDeploying),
			time.Hour,
			Stage{Status: api.RevisionDeployed, Since: after(20 * time.Second), Finished: true},
		},
		"another status that lasts": {
			rollout{steps: steps[api.SourceGitHost], createdAt: birth, fault: &rest.RolloutFault{
				State: api.RevisionDeploying, Status: api.RevisionInterrupted, Stall: true,
			}},
			time.Hour,
			Stage{Status: api.RevisionInterrupted, Since: after(0)},
		},
		"superseded later": {
			superseded(repo, 10*time.Second),
			9 * time.Second,
			Stage{Status: api.RevisionBuilding, Since: after(4 * time.Second)},
		},
		"superseded": {
			superseded(repo, 10*time.Second),
			10 * time.Second,
			Stage{Status: api.RevisionSkipped, Since: after(10 * time.Second), Finished: true},
		},
		"superseded for good": {
			superseded(repo, 10*time.Second),
			time.Hour,
			Stage{Status: api.RevisionSkipped, Since: after(10 * time.Second), Finished: true},
		},
		"deployed, then superseded": {
			superseded(repo, 20*time.Second),
			time.Hour,
			Stage{Status: api.RevisionDeployed, Since: after(20 * time.Second), Finished: true},
		},
		"failed, then superseded": {
			superseded(failing(repo, api.RevisionQueued), 3*time.Second),
			time.Hour,
			Stage{api.RevisionCreateFailed, after(2 * time.Second), "out of luck", true},
		},
		"stalled, then superseded": {
			superseded(stalling(repo, api.RevisionQueued), time.Minute),
			time.Hour,
			Stage{Status: api.RevisionSkipped, Since: after(time.Minute), Finished: true},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, tc.rollout.at(after(tc.at)), cmp.AllowUnexported(Stage{})); diff != "" {
				t.Errorf("stage (-want +got):\n%s", diff)
			}
		})
	}
}

func TestHistory(t *testing.T) {
	t.Parallel()
	repo := rollout{steps: steps[api.SourceGitHost], createdAt: birth, length: 20 * time.Second}
	image := rollout{steps: steps[api.SourceExternalContainer], createdAt: birth, length: 20 * time.Second}
	failing, skipped, now, renamed := repo, repo, repo, image
	renamed.fault = &rest.RolloutFault{State: api.RevisionAwaitingDeploy, Status: "POLISHING"}
	failing.fault = &rest.RolloutFault{State: api.RevisionBuilding, Message: "out of luck"}
	skipped.supersededAt = new(after(3 * time.Second))
	now.length = 0
	for name, tc := range map[string]struct {
		rollout rollout
		at      time.Duration
		want    []Stage
	}{
		"just created": {repo, 0, []Stage{{Status: api.RevisionQueued, Since: after(0)}}},
		"on its way": {repo, 5 * time.Second, []Stage{
			{Status: api.RevisionQueued, Since: after(0)}, {Status: api.RevisionAwaitingBuild, Since: after(2 * time.Second)},
			{Status: api.RevisionBuilding, Since: after(4 * time.Second)},
		}},
		"deployed": {image, time.Hour, []Stage{
			{Status: api.RevisionQueued, Since: after(0)}, {Status: api.RevisionAwaitingDeploy, Since: after(3 * time.Second)},
			{Status: api.RevisionDeploying, Since: after(6 * time.Second)},
			{Status: api.RevisionDeployed, Since: after(20 * time.Second), Finished: true},
		}},
		"failed": {failing, time.Hour, []Stage{
			{Status: api.RevisionQueued, Since: after(0)}, {Status: api.RevisionAwaitingBuild, Since: after(2 * time.Second)},
			{Status: api.RevisionBuilding, Since: after(4 * time.Second)},
			{api.RevisionBuildFailed, after(12 * time.Second), "out of luck", true},
		}},
		"in another status": {renamed, 4 * time.Second, []Stage{
			{Status: api.RevisionQueued, Since: after(0)}, {Status: "POLISHING", Since: after(3 * time.Second)},
		}},
		"after another status": {renamed, 7 * time.Second, []Stage{
			{Status: api.RevisionQueued, Since: after(0)}, {Status: "POLISHING", Since: after(3 * time.Second)},
			{Status: api.RevisionDeploying, Since: after(6 * time.Second)},
		}},
		"skipped": {skipped, time.Hour, []Stage{
			{Status: api.RevisionQueued, Since: after(0)}, {Status: api.RevisionAwaitingBuild, Since: after(2 * time.Second)},
			{Status: api.RevisionSkipped, Since: after(3 * time.Second), Finished: true},
		}},
		"in no time": {now, 0, []Stage{
			{Status: api.RevisionQueued, Since: after(0)}, {Status: api.RevisionAwaitingBuild, Since: after(0)},
			{Status: api.RevisionBuilding, Since: after(0)}, {Status: api.RevisionAwaitingDeploy, Since: after(0)},
			{Status: api.RevisionDeploying, Since: after(0)}, {Status: api.RevisionDeployed, Since: after(0), Finished: true},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, tc.rollout.history(after(tc.at)), cmp.AllowUnexported(Stage{})); diff != "" {
				t.Errorf("history (-want +got):\n%s", diff)
			}
		})
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
