package rollout

import (
	"context"
	"net/http"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/poll"
)

// patience is how long a service has to refuse until it is believed. What it has accepted goes on meanwhile, and an odd answer
// of something before it passes.
const patience = time.Minute

// Refusals tells a service that refuses for good from one that gives an odd answer now and then, in a wait for what it has
// accepted.
type Refusals struct {
	Policy poll.Policy
	// Object reads what the wait is about. Its error confirms a refusal that may be about a part of it only.
	Object func(context.Context) error
	// Passes says of an error that it is what is waited for to end. Nil says so of none.
	Passes func(error) bool

	status int
	since  time.Time // Zero: the last look was no refusal.
}

// Final says whether the error of the last look ends the wait, and with which error then: once the service has refused for a
// minute, with the same status all the time.
func (r *Refusals) Final(ctx context.Context, err error) (bool, error) {
	if err == nil || Outage(err) || r.Passes != nil && r.Passes(err) {
		r.since = time.Time{}
		return false, err
	}
	now, status := r.Policy.Now(), client.StatusOf(err)
	if r.since.IsZero() || status != r.status {
		r.status, r.since = status, now
	}
	if now.Sub(r.since) < patience {
		return false, err
	}
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound:
		confirmed := r.Object(ctx)
		if client.StatusOf(confirmed) != status {
			return false, err
		}
		if client.IsNotFound(confirmed) {
			return true, confirmed // It says that the object is gone, and not only a part of it.
		}
	}
	return true, err
}
