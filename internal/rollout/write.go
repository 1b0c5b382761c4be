package rollout

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/poll"
)

const (
	// proofTime is how long reads may not show a write that was sent. Outages don't count.
	proofTime = 30 * time.Second
	// doubtTime is the same for a write that something refused, though perhaps not the service.
	doubtTime = 15 * time.Second
)

// Write is a change of a deployment. It has happened when the service shows it: no response counts by itself, because proxies answer
// for services that did nothing, and services answer with what they had before.
type Write struct {
	Client       *client.Client
	Policy       poll.Policy
	DeploymentID string
	// Method is the HTTP method, for errors.
	Method string
	// Revision is true if the write makes a revision.
	Revision bool
	// Send sends the write, for the deployment as read right before. The result is nil unless the response is the deployment.
	Send func(ctx context.Context, before api.Deployment) (*api.Deployment, error)
	// Differs reports whether a deployment has another value than the one that was last sent, as far as values can be read. Nil means
	// that no values are sent.
	Differs func(api.Deployment) bool
	// Removed reports whether everything that the write removes has gone or changed since before: the service may show defaults in its
	// place, so that Differs can't tell. It may be nil.
	Removed func(before, now api.Deployment) bool
	// Hides reports whether nothing shows a part of what was last sent: neither its values nor a difference from before. It may be nil.
	Hides func(before, now api.Deployment) bool
	// Sent returns the body that was last sent. Nil means that no values are sent.
	Sent func() any
	// Source is the source of the revision that the write makes, if it is another one than the deployment has.
	Source *api.SourceRevisionConfig
	// AtOnce makes another change in progress an error.
	AtOnce bool
	// Conflict is called when another change in progress prevents the write, before it is sent again. It may be nil.
	Conflict func()
}

// Proof shows that a write has happened.
type Proof struct {
	// Deployment shows it.
	Deployment api.Deployment
	// Before is the deployment as read right before the write.
	Before api.Deployment
	// Revision is the revision that it made, if it makes one.
	Revision api.Revision
	// Foreign are the revisions that others made between the read before the write and Revision, newest first.
	Foreign []api.Revision
	// Named is true if the response named Revision, or Revision itself has the change. Otherwise, the write may also have made one of
	// Foreign.
	Named bool
}

// Do sends the write, repeatedly while another change is in progress, and proves it. A write that isn't proved is sent once more if it
// makes no revision, and never otherwise: the error is then ambiguous.
func (w Write) Do(ctx context.Context, limit time.Duration) (*Proof, error) {
	start, repeated, again := w.Policy.Now(), false, false
	var refused *written // Because of a change in progress, which may have been its own.
	final := func(err error) bool { return !again && (w.AtOnce || !client.IsConflict(err)) }
	return poll.Until(ctx, w.Policy, limit, func(ctx context.Context) (*Proof, bool, error) {
		again = false
		if refused != nil {
			if proof, err := refused.check(ctx); err == nil {
				return proof, true, nil
			}
		}
		before, err := w.Client.Deployments().Get(ctx, w.DeploymentID)
		if err != nil {
			return nil, final(err), err
		}
		answer, err := w.Send(ctx, *before)
		sent := written{w, *before, answer, err == nil}
		if client.IsConflict(err) {
			refused = &sent
			refused.accepted = true // The only revision made meanwhile is taken for its own.
			if w.Conflict != nil {
				w.Conflict()
			}
		}
		if err != nil && !client.MayHaveHappened(err) {
			return nil, final(err), err
		}
		proof, err := sent.prove(ctx, max(0, limit-w.Policy.Now().Sub(start)), err)
		again = client.IsAmbiguous(err) && !w.Revision && !repeated
		repeated = repeated || again
		return proof, err == nil || final(err), err
	})
}

// written is a write that was sent.
type written struct {
	Write
	before api.Deployment
	answer *api.Deployment
	// accepted is true if the response was a success, whatever its body.
	accepted bool
}

// prove reads until the service shows the write. refused is the error of the request, if any.
func (w written) prove(ctx context.Context, limit time.Duration, refused error) (*Proof, error) {
	ctx, cancel := w.Client.WithGrace(ctx)
	defer cancel()
	patience := proofTime
	if refused != nil && !client.IsAmbiguous(refused) {
		patience = doubtTime
	}
	var since time.Time // The first check that the service answered.
	proof, err := poll.Until(ctx, w.Policy, limit, func(ctx context.Context) (*Proof, bool, error) {
		proof, err := w.check(ctx)
		done := err == nil
		switch now := w.Policy.Now(); {
		case done || Outage(err):
		case since.IsZero():
			since = now
		default:
			done = now.Sub(since) >= patience
		}
		return proof, done, err
	})
	made := ""
	if unproved, ok := errors.AsType[*unprovedError](err); ok {
		made = unproved.revisions()
	}
	unknown, _ := errors.AsType[*client.OutcomeUnknownError](refused)
	answered, _ := errors.AsType[*client.Error](refused)
	switch {
	case err == nil:
		return proof, nil
	case refused == nil:
		err = fmt.Errorf("the change was accepted, but %w", err)
		return nil, &client.OutcomeUnknownError{Method: w.Method, ID: w.DeploymentID, Err: err}
	case unknown != nil && made != "":
		unknown.Err = fmt.Errorf("%w%s", unknown.Err, made)
	case unknown == nil && answered != nil:
		answered.Doubt = fmt.Sprintf("Reading the deployment doesn't show the change%s. If it still appears, the next plan shows it.", made)
	}
	return nil, refused
}

// check returns the proof, or an error that names what is missing.
func (w written) check(ctx context.Context) (*Proof, error) {
	now, err := w.Client.Deployments().Get(ctx, w.DeploymentID)
	switch {
	case err != nil:
		return nil, err
	case !w.Revision && w.differs(*now):
		return nil, errNotShown
	case !w.Revision:
		return &Proof{Deployment: *now, Before: w.before}, nil
	}
	since, err := w.since(ctx, api.OrEmpty(now.LatestRevisionID))
	if err != nil {
		return nil, err
	}
	i, named := w.own(since, *now)
	if i < 0 {
		return nil, &unprovedError{since}
	}
	return &Proof{*now, w.before, since[i], since[i+1:], named}, nil
}

var errNotShown = errors.New("reading the deployment doesn't show it")

// unprovedError lists the revisions made since a write that none of them proves.
type unprovedError struct{ since []api.Revision }

func (e *unprovedError) Error() string { return errNotShown.Error() + e.revisions() }

func (e *unprovedError) revisions() string {
	var revisions []string
	for _, r := range e.since[:min(len(e.since), 3)] {
		revisions = append(revisions, fmt.Sprintf("%s (%s)", r.ID, r.Status))
	}
	if len(e.since) == 1 {
		return "; there is one new revision, " + revisions[0]
	}
	return fmt.Sprintf("; of %d new revisions, the newest are %s", len(e.since), strings.Join(revisions, ", "))
}

func (w written) differs(d api.Deployment) bool { return w.Differs != nil && w.Differs(d) }

func (w written) hides(now api.Deployment) bool { return w.Hides != nil && w.Hides(w.before, now) }

// newRevisions is how many revisions a check reads: more than others make within seconds.
const newRevisions = 20

// since returns the revisions that were made since the read before the write, newest first.
func (w written) since(ctx context.Context, newest string) ([]api.Revision, error) {
	var since []api.Revision
	for revision, err := range w.Client.ListRevisions(ctx, w.DeploymentID, client.RevisionFilter{Limit: newRevisions}) {
		if err != nil {
			return nil, err
		}
		if revision.ID == api.OrEmpty(w.before.LatestRevisionID) {
			break
		}
		since = append(since, revision)
	}
	if len(since) == 0 || since[0].ID != newest {
		return nil, fmt.Errorf("%w: there is no new revision", errNotShown)
	}
	return since, nil
}

// own returns the index of the revision that the write made, and -1 if none is proved; named reports whether it can't be another one. The
// response may name it, and a revision may itself show the whole change. The deployment shows the values of the newest revision: if it
// has the whole change, that is the one. A change that can't be seen was made by the only new revision if the write was accepted or sends
// no values, and no other setting differs.
func (w written) own(since []api.Revision, now api.Deployment) (_ int, named bool) {
	i := slices.IndexFunc(since, func(r api.Revision) bool { return w.answer != nil && r.ID == api.OrEmpty(w.answer.LatestRevisionID) })
	if i > 0 && !w.differs(*w.answer) || i >= 0 && !w.differs(now) {
		return i, true
	}
	for i, revision := range slices.Backward(since) { // Later ones have what it changed, too.
		if w.shownBy(revision) {
			return i, true
		}
	}
	seen := !w.hides(now) && (w.differs(w.before) || w.Removed != nil && w.Removed(w.before, now))
	if !w.differs(now) && (seen || len(since) == 1 && (w.accepted || w.Differs == nil) && w.settings(w.before, w.Source) == w.settings(now, nil)) {
		return 0, false
	}
	return -1, false
}

// shownBy reports whether a revision itself shows the whole change: its source does.
func (w written) shownBy(r api.Revision) bool {
	then := w.before
	then.SourceRevisionConfig = r.SourceRevisionConfig
	return w.differs(w.before) && !w.differs(then) && !w.hides(then)
}

// settings returns what users set in a deployment, apart from what the write sends, as JSON, optionally with another source. What the
// service resolves a ref to may change by itself.
func (w written) settings(d api.Deployment, source *api.SourceRevisionConfig) string {
	if source != nil {
		d.SourceRevisionConfig = *source
	}
	is := &d.SourceRevisionConfig
	is.RepoCommitSHA = nil
	if w.Client.Dialect().ResolvesRepoRef && d.Source != api.SourceExternalContainer {
		is.RepoRef, is.ImageURI = d.SourceConfig.RepoBranch, nil // The ref, if it is a branch.
		d.SourceConfig.RepoBranch = nil
	}
	var rest any = api.Deployment{SourceConfig: d.SourceConfig, SourceRevisionConfig: *is, Secrets: d.Secrets, SecretReferences: d.SecretReferences}
	if w.Sent != nil {
		rest = client.Without(rest, w.Sent(), 1)
	}
	data, err := json.Marshal(rest)
	if err != nil {
		panic(err) // It was decoded from JSON.
	}
	return string(data)
}
