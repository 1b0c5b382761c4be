package deployment

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/client/mask"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/poll"
	"github.com/agentplane/terraform-provider-agentplane/internal/rollout"
)

// ending is how the wait for a revision ended.
type ending int

const (
	deployed    ending = iota // Or there was nothing to wait for.
	failed                    // The service reported that the rollout failed.
	late                      // The rollout was still in progress after the limit.
	interrupted               // The user stopped the apply.
	notShown                  // The status could not be read after the limit, or for ten minutes of nothing but refusals.
)

// outcome is how a rollout ended, and what the service has then.
type outcome struct {
	rollout.Rollout
	ending ending
	// deleted reports whether the deployment is proved to be gone.
	deleted        bool
	elapsed, limit time.Duration
	// err is why the revision isn't deployed, with the last lines of its log if the rollout failed.
	err error
	log []string
	// deployment is what a read after the rollout returned, or else the response of the write. unread is the error of that read, and cancelled
	// reports whether the user had stopped the apply by then.
	deployment api.Deployment
	unread     error
	cancelled  bool
	// newest is the newest revision of the deployment. It differs from the one that was followed if another user made it at the end.
	newest api.Revision
}

// follow waits for the revision of f if wait is set, and reads the deployment back, however the rollout ended. written is the response of
// the write, and earlier the newest revision before it. ctx must not end at the limit, which counts from start.
func follow(
	ctx context.Context, f rollout.Rollout, wait bool, written api.Deployment, earlier string, start time.Time, limit time.Duration,
) outcome {
	o := outcome{Rollout: f, deployment: written, limit: limit}
	if wait && f.Revision.ID != "" {
		o.wait(framework.MaskSecrets(ctx, written.Secrets), start) // A log may also contain values that aren't configured.
	}
	if !o.deleted {
		o.readBack(ctx, earlier)
	}
	return o
}

// wait waits until the revision is deployed or the rollout ends otherwise.
func (o *outcome) wait(ctx context.Context, start time.Time) {
	elapsed := func() time.Duration { return poll.Rounded(o.Policy.Now().Sub(start)) }
	o.OnRead = func(ctx context.Context, before, now api.Revision, err error) {
		if err == nil && now.ID == before.ID && now.Status != before.Status {
			tflog.Info(ctx, "revision status changed", map[string]any{
				"deployment_id": o.DeploymentID, "revision_id": now.ID, "status": string(now.Status),
				"previous_status": string(before.Status), "elapsed": elapsed().String(),
			})
		}
	}
	o.err = o.Wait(ctx, max(0, o.limit-o.Policy.Now().Sub(start)))
	o.elapsed = elapsed()
	failure, hasFailed := errors.AsType[*rollout.FailedError](o.err)
	switch {
	case o.err == nil:
	case hasFailed:
		o.ending, o.err = failed, errors.New(mask.Text(ctx, failure.Error()))
		var err error
		if o.log, err = o.LogTail(ctx); err != nil {
			tflog.Debug(ctx, "the log of the failed revision can't be read", map[string]any{"revision_id": o.Revision.ID})
		}
	case errors.Is(o.err, rollout.ErrDeleted):
		o.deleted = true
	case errors.Is(o.err, context.Canceled):
		o.ending = interrupted
	case errors.Is(o.err, context.DeadlineExceeded) && o.Revision.Status != "":
		o.ending = late
	default:
		o.ending = notShown
	}
}

// settleTime is how long reads may lag behind the end of a rollout.
const settleTime = 30 * time.Second

// readBack reads the deployment until it shows the end of the rollout. The limit of the operation may have passed.
func (o *outcome) readBack(ctx context.Context, earlier string) {
	limited, cancel := context.WithTimeout(ctx, settleTime)
	defer cancel()
	limit := settleTime
	if o.ending == notShown {
		limit = 0
	}
	read, err := poll.Until(limited, o.Policy, limit, func(ctx context.Context) (*api.Deployment, bool, error) {
		read, err := o.Client.Deployments().Find(ctx, o.DeploymentID)
		if err == nil && !o.shownBy(*read, earlier) {
			err = errors.New("it shows an earlier revision")
		}
		return read, err == nil, err
	})
	o.newest = o.Revision
	if err != nil {
		o.unread, o.cancelled = err, ctx.Err() != nil
		o.deleted = o.Shown && client.IsNotFound(err) // For as long as reads may lag behind, neither the read nor a list showed it.
		if o.Revision.ID != "" {
			o.deployment.LatestRevisionID = &o.Revision.ID
		}
		if o.Revision.Status == api.RevisionDeployed {
			o.deployment.ActiveRevisionID = &o.Revision.ID
		}
		return
	}
	o.deployment = *read
	if id := read.LatestRevisionID; id != nil && *id != o.Revision.ID {
		o.Superseded = append(o.Superseded, o.Revision.ID)
		o.newest = api.Revision{ID: *id}
	}
	if o.newest.Status == "" && o.ending != notShown {
		if revision, err := o.Client.Revisions(o.DeploymentID).Get(ctx, o.newest.ID); err == nil {
			o.newest = *revision
		}
	}
}

// shownBy reports whether a deployment is as after the rollout, or after a later one.
func (o *outcome) shownBy(read api.Deployment, earlier string) bool {
	switch newest := read.LatestRevisionID; {
	case newest == nil:
		return o.Revision.ID == ""
	case *newest == earlier || slices.Contains(o.Superseded, *newest):
		return false
	case *newest == o.Revision.ID && o.Revision.Status == api.RevisionDeployed:
		return read.ActiveRevisionID != nil && *read.ActiveRevisionID == *newest
	}
	return true
}

// taints reports whether Terraform may replace a new deployment: the service itself reported that its rollout failed, or that it is still
// in progress after the limit.
func (o outcome) taints() bool {
	return (o.ending == failed || o.ending == late) && o.newest.ID == o.Revision.ID
}
