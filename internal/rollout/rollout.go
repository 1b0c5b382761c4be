package rollout

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/poll"
)

// ErrDeleted means that the deployment is proved to be gone.
var ErrDeleted = errors.New("the deployment was deleted")

var errBeingDeleted = errors.New("the deployment is being deleted")

// FailedError means that the revision ended without being deployed.
type FailedError struct{ Revision api.Revision }

func (e *FailedError) Error() string {
	if e.Revision.StatusMessage != nil && *e.Revision.StatusMessage != "" {
		return *e.Revision.StatusMessage
	}
	return "The service gives no reason."
}

// Rollout follows one revision of a deployment.
type Rollout struct {
	Client *client.Client
	Policy poll.Policy
	// DeploymentID is the ID of the deployment.
	DeploymentID string
	// Revision is the last response for the revision; after it was superseded, for the newest one. Initially, only its ID is
	// needed.
	Revision api.Revision
	// Superseded has the IDs of the revisions that were followed before.
	Superseded []string
	// Shown is true if a read has returned the deployment: if reads then answer 404, it is gone.
	Shown bool
	// OnRead is called after every read of the revision, with the previous and the current revision or the error. If the IDs
	// differ, the previous revision was superseded. It may be nil.
	OnRead func(ctx context.Context, before, now api.Revision, err error)
}

// Wait returns when the revision is deployed. Otherwise it returns a *FailedError, ErrDeleted, the error of the context, a
// *poll.DeadlineError, or the last error after ten minutes of nothing but refusals: the service has accepted the revision, so no single
// answer ends the wait. ctx must not end at the limit: the result of a last read after the limit counts. Unless the last read showed
// the revision, its status is then empty.
func (r *Rollout) Wait(ctx context.Context, limit time.Duration) error {
	var unseen error // Of the last read.
	_, err := Follow(ctx, r.Policy, limit, nil, func(ctx context.Context) (struct{}, bool, error) {
		done, err := r.once(ctx)
		if ctx.Err() == nil || err == nil { // A read that the end of the context interrupted doesn't count.
			unseen = err
		}
		_, failed := errors.AsType[*FailedError](err)
		return struct{}{}, done || failed || errors.Is(err, ErrDeleted), err
	})
	if late, ok := errors.AsType[*poll.DeadlineError](err); ok {
		unseen = late.Last
	}
	if _, failed := errors.AsType[*FailedError](err); unseen != nil && !failed {
		r.Revision.Status = ""
	}
	return err
}

// once reads the revision. If it was superseded, it continues with the newest.
func (r *Rollout) once(ctx context.Context) (done bool, err error) {
	revision, err := r.Client.Revisions(r.DeploymentID).Get(ctx, r.Revision.ID)
	switch {
	case client.IsNotFound(err):
		// The service may not show a new revision immediately.
		return r.orNewest(ctx, err)
	case err != nil:
		r.report(ctx, r.Revision, err)
		return false, err
	}
	r.report(ctx, *revision, nil)
	r.Revision, r.Shown = *revision, true
	switch {
	case revision.Status == api.RevisionDeployed:
		return true, nil
	case revision.Status == api.RevisionSkipped:
		return r.orNewest(ctx, &FailedError{*revision}) // If it is the newest, it will never be deployed.
	case Failed(revision.Status):
		return false, &FailedError{*revision}
	}
	return false, nil
}

// orNewest continues with the newest revision. If that is the one that is followed, it returns err.
func (r *Rollout) orNewest(ctx context.Context, err error) (done bool, _ error) {
	switch moved, unread := r.followNewest(ctx); {
	case unread != nil:
		return false, unread
	case !moved:
		return false, err
	}
	return r.once(ctx)
}

func (r *Rollout) report(ctx context.Context, now api.Revision, err error) {
	if r.OnRead != nil {
		r.OnRead(ctx, r.Revision, now, err)
	}
}

// followNewest continues with the newest revision, if that is a later one: a deployment that is read from a copy may still name an
// earlier one.
func (r *Rollout) followNewest(ctx context.Context) (moved bool, err error) {
	now, err := r.Client.Deployments().Get(ctx, r.DeploymentID)
	switch {
	case client.IsNotFound(err) && r.Shown && r.gone(ctx):
		return false, ErrDeleted
	case err == nil:
		r.Shown = true
	}
	if err == nil && now.Status.BeingDeleted() {
		err = errBeingDeleted
	}
	if err != nil || now.LatestRevisionID == nil || *now.LatestRevisionID == r.Revision.ID {
		return false, err
	}
	listed, err := client.Collect(r.Client.ListRevisions(ctx, r.DeploymentID, client.RevisionFilter{Limit: newRevisions}))
	later := slices.IndexFunc(listed, func(l api.Revision) bool { return l.ID == r.Revision.ID })
	if err != nil || later <= 0 {
		return false, err
	}
	newest := api.Revision{ID: listed[0].ID}
	r.report(ctx, newest, nil)
	r.Superseded = append(r.Superseded, r.Revision.ID)
	r.Revision = newest
	return true, nil
}

// provenAfter is the time between the two reads that prove that a deployment is gone.
const provenAfter = 3 * time.Second

// FindTwice finds a deployment. That it is gone is proved if neither a read nor a list returns it, twice.
func FindTwice(ctx context.Context, c *client.Client, p poll.Policy, id string) (*api.Deployment, error) {
	if found, err := c.Deployments().Find(ctx, id); !client.IsNotFound(err) {
		return found, err
	}
	if err := p.Sleep(ctx, provenAfter); err != nil {
		return nil, err
	}
	return c.Deployments().Find(ctx, id)
}

// gone reports whether a deployment that was shown before is proved to be gone.
func (r *Rollout) gone(ctx context.Context) bool {
	_, err := FindTwice(ctx, r.Client, r.Policy, r.DeploymentID)
	return client.IsNotFound(err)
}

// Status returns the last known status as text, because the wait may end before the first response.
func (r *Rollout) Status() string {
	return cmp.Or(string(r.Revision.Status), "not known")
}

// LastProblem returns what prevented the wait from seeing the end, unless the rollout was only slow.
func (r *Rollout) LastProblem(err error) string {
	var deadline *poll.DeadlineError
	switch {
	case errors.As(err, &deadline) && deadline.Last != nil:
		return "The last status check failed: " + strings.TrimSuffix(deadline.Last.Error(), ".") + "."
	case r.Revision.Status == "":
		return "The service did not answer within this time, so the status of the revision is unknown."
	case r.Revision.Status == api.RevisionInterrupted:
		return "The rollout was interrupted in the service, which doesn't report whether it will continue."
	}
	return "The revision is still in progress."
}

// Failed reports whether a rollout ended without being deployed. This includes SKIPPED for the newest revision: nothing has
// superseded it, and it will never be deployed.
func Failed(status api.RevisionStatus) bool {
	return strings.Contains(string(status), "FAILED") || status == api.RevisionSkipped
}

// InProgress reports whether a rollout may still succeed. Unknown statuses count as in progress.
func InProgress(status api.RevisionStatus) bool {
	return status != "" && status != api.RevisionDeployed && !Failed(status)
}

// Outage reports whether the service could not be reached, which doesn't affect the operation. It was reachable a moment
// ago, so an HTML page means that the service is down, not that the address is wrong.
func Outage(err error) bool { return client.IsTransient(err) || client.IsForeign(err) }

// patience is how long nothing but refusals must arrive before a wait ends. The accepted operation continues meanwhile, and anything in
// front of the service may give wrong answers for minutes.
const patience = 10 * time.Minute

// Until is poll.Until for an operation that the service has accepted: no single error ends the wait, whatever its status. It ends when
// check is done, with or without an error, at the limit, and after ten minutes of nothing but refusals. Errors for which expected is true
// aren't refusals; expected may be nil.
func Until[T any](
	ctx context.Context, p poll.Policy, limit time.Duration, expected func(error) bool, check func(context.Context) (T, bool, error),
) (T, error) {
	return poll.Until(ctx, p, limit, patient(p, expected, check))
}

// Follow is Until for checks that change nothing: it checks once more after the limit, as poll.Follow does.
func Follow[T any](
	ctx context.Context, p poll.Policy, limit time.Duration, expected func(error) bool, check func(context.Context) (T, bool, error),
) (T, error) {
	return poll.Follow(ctx, p, limit, patient(p, expected, check))
}

// patient returns a check that is also done after ten minutes of nothing but refusals.
func patient[T any](
	p poll.Policy, expected func(error) bool, check func(context.Context) (T, bool, error),
) func(context.Context) (T, bool, error) {
	var since time.Time // The first of nothing but refusals; zero: the last response was none.
	return func(ctx context.Context) (T, bool, error) {
		value, done, err := check(ctx)
		switch now := p.Now(); {
		case err == nil || Outage(err) || expected != nil && expected(err):
			since = time.Time{}
		case since.IsZero():
			since = now
		default:
			done = done || now.Sub(since) >= patience
		}
		return value, done, err
	}
}

// Limits of the part of a log that an error shows.
const (
	logLines = 20
	logBytes = 4 << 10
)

// LogTail returns the last lines of the log of a failed revision, oldest first, as the service wrote them, with the secrets
// of the context masked. It returns none if the service has no log.
func (r *Rollout) LogTail(ctx context.Context) ([]string, error) {
	for _, logType := range logsOf(r.Revision.Status) {
		entries, err := r.Client.RevisionLogs(ctx, r.DeploymentID, r.Revision.ID, logType, logLines)
		if err != nil {
			return nil, err
		}
		if len(entries) > 0 {
			return tail(logType, entries), nil
		}
	}
	return nil, nil
}

// tail returns the last entries that fit. The newest is always included, if necessary truncated.
func tail(logType api.LogType, entries []api.LogEntry) []string {
	var lines []string
	room := logBytes
	for _, entry := range slices.Backward(entries) {
		line := fmt.Sprintf("%s log: %s %s", logType, entry.Level, strings.TrimRight(entry.Message, "\r\n"))
		if len(line) > room {
			if len(lines) > 0 {
				break
			}
			line = strings.ToValidUTF8(line[:room], "") + "…"
		}
		room -= len(line)
		lines = append([]string{line}, lines...)
	}
	return lines
}

// logsOf returns the logs to read, the likeliest first. A revision that failed before it was deployed usually explains it in
// the build log, which is empty if the build never began.
func logsOf(status api.RevisionStatus) []api.LogType {
	if status == api.RevisionDeployFailed {
		return []api.LogType{api.LogTypeDeploy, api.LogTypeBuild}
	}
	return []api.LogType{api.LogTypeBuild, api.LogTypeDeploy}
}
