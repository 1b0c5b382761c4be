package controlplane

import (
	"cmp"
	"slices"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
)

// step is a state of a rollout and its share of the rollout's duration, in twentieths.
type step struct {
	status     api.RevisionStatus
	twentieths int
}

// steps are the states of a rollout in order; the shares of a source add up to twenty. An image needs no build.
var steps = map[api.Source][]step{
	api.SourceGitHost:           builtSteps,
	api.SourceInternalSource:    builtSteps,
	api.SourceInternalTemplate:  builtSteps,
	api.SourceExternalContainer: pulledSteps,
	api.SourceInternalContainer: pulledSteps,
}

// creatingTwentieths is how much of its first step a revision is CREATING where the dialect shows that.
const creatingTwentieths = 1

// stepsOf returns the states of a rollout in a dialect.
func stepsOf(source api.Source, dialect *api.Dialect) []step {
	all := steps[source]
	if !dialect.ShowsCreating || len(all) == 0 { // There may be no revision.
		return all
	}
	queued := all[0]
	queued.twentieths -= creatingTwentieths
	return append([]step{{api.RevisionCreating, creatingTwentieths}, queued}, all[1:]...)
}

var builtSteps = []step{
	{api.RevisionQueued, 2},
	{api.RevisionAwaitingBuild, 2},
	{api.RevisionBuilding, 8},
	{api.RevisionAwaitingDeploy, 1},
	{api.RevisionDeploying, 7},
}

var pulledSteps = []step{
	{api.RevisionQueued, 3},
	{api.RevisionAwaitingDeploy, 3},
	{api.RevisionDeploying, 14},
}

// failures maps each state to the status of a rollout that fails in it.
var failures = map[api.RevisionStatus]api.RevisionStatus{
	api.RevisionCreating:       api.RevisionCreateFailed,
	api.RevisionQueued:         api.RevisionCreateFailed,
	api.RevisionAwaitingBuild:  api.RevisionBuildFailed,
	api.RevisionBuilding:       api.RevisionBuildFailed,
	api.RevisionAwaitingDeploy: api.RevisionDeployFailed,
	api.RevisionDeploying:      api.RevisionDeployFailed,
}

// rollout contains everything that determines the state of a revision.
type rollout struct {
	steps        []step
	createdAt    time.Time
	length       time.Duration
	fault        *rest.RolloutFault
	supersededAt *time.Time // When a newer revision was created.
}

// Stage is the state of a revision, when it started and whether it is final.
type Stage struct {
	Status   api.RevisionStatus
	Since    time.Time
	Message  string
	Finished bool
}

// stages returns all states of the revision, oldest first. A newer revision ends a rollout that is unfinished at that moment.
func (r rollout) stages() []Stage {
	all := r.undisturbed()
	if r.supersededAt == nil {
		return all
	}
	n := reached(all, *r.supersededAt)
	if all[n-1].Finished {
		return all
	}
	return append(all[:n], Stage{Status: api.RevisionSkipped, Since: *r.supersededAt, Finished: true})
}

// undisturbed returns the states of a revision without a successor.
func (r rollout) undisturbed() (all []Stage) {
	ends, passed := r.createdAt, 0
	for _, s := range r.steps {
		var fault rest.RolloutFault
		faulty := r.fault != nil && r.fault.State == s.status
		if faulty {
			fault = *r.fault
		}
		all = append(all, Stage{Status: cmp.Or(fault.Status, s.status), Since: ends})
		if fault.Stall {
			return all
		}
		passed += s.twentieths
		ends = r.createdAt.Add(r.length * time.Duration(passed) / 20)
		if faulty && fault.Status == "" {
			return append(all, Stage{Status: failures[s.status], Since: ends, Message: fault.Message, Finished: true})
		}
	}
	return append(all, Stage{Status: api.RevisionDeployed, Since: ends, Finished: true})
}

// reached returns the number of states that have begun at a time. The first one always has.
func reached(all []Stage, now time.Time) int {
	n := len(all)
	for n > 1 && all[n-1].Since.After(now) {
		n--
	}
	return n
}

// history lists the states that the revision has reached at a time, oldest first.
func (r rollout) history(now time.Time) []Stage {
	all := r.stages()
	return all[:reached(all, now)]
}

// at returns the state of the revision at a time.
func (r rollout) at(now time.Time) Stage {
	history := r.history(now)
	return history[len(history)-1]
}

// endOf returns when the state of the revision at a time ends by itself, at the precision of stored times; nil if it lasts.
func (r rollout) endOf(now time.Time) *time.Time {
	all := r.stages()
	n := reached(all, now)
	if n == len(all) {
		return nil
	}
	end := all[n].Since.Add(time.Microsecond - 1).Truncate(time.Microsecond)
	return &end
}

// passes reports whether a rollout with these steps passes through a state.
func passes(steps []step, status api.RevisionStatus) bool {
	return slices.ContainsFunc(steps, func(s step) bool { return s.status == status })
}

// databaseTime is how long a new deployment is AWAITING_DATABASE.
func databaseTime(rollout time.Duration) time.Duration { return rollout / 10 }

// deletionTime is how long a deleted deployment is AWAITING_DELETE.
func deletionTime(rollout time.Duration) time.Duration { return rollout / 4 }

// statusRequest is the body of POST /dev/status.
type statusRequest struct {
	DeploymentID api.UUID             `json:"deployment_id"`
	Status       api.DeploymentStatus `json:"status"`
}

// setStatus gives a deployment a status that nothing else leads to. It keeps it until it is deleted.
func (s *Service) setStatus(c *rest.Call, request statusRequest) (rest.Answer, error) {
	row, err := ReadDeployment(c.Tx, c.WorkspaceID, string(request.DeploymentID))
	if err != nil {
		return rest.Answer{}, err
	}
	lasting := []api.DeploymentStatus{api.DeploymentReady, api.DeploymentUnused, api.DeploymentUnknown}
	if going(row) || !slices.Contains(lasting, request.Status) {
		return rest.Answer{}, form.Broken("Deployment ID %s is %s and can't become %s: use one of %v, while it isn't being deleted.",
			row.ID, row.Status, request.Status, lasting)
	}
	row.Status, row.DueAt, row.UpdatedAt = string(request.Status), nil, c.Now
	if err := c.Tx.UpdateDeployment(row); err != nil {
		return rest.Answer{}, err
	}
	return s.respond(c, row)
}

// successor returns the state that follows when a deployment's status ends by itself; gone means that there is none.
func successor(status api.DeploymentStatus, dialect *api.Dialect) (next api.DeploymentStatus, gone bool) {
	switch status {
	case api.DeploymentAwaitingDatabase:
		return api.DeploymentReady, false
	case api.DeploymentAwaitingDelete:
		return api.DeploymentAwaitingFinalDelete, !dialect.LangSmithAPI
	case api.DeploymentAwaitingFinalDelete:
		return "", true
	default:
		return status, false
	}
}
