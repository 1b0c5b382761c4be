package rollout

import (
	"context"
	"net/http"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/poll"
)

// patience is how long a service must refuse before the refusal is final. The accepted operation continues meanwhile, and a
// proxy in front of the service may give a wrong answer.
const patience = time.Minute

// Refusals distinguishes a service that refuses for good from a few wrong answers, while waiting for an operation that the
// service has accepted.
type Refusals struct {
	Policy poll.Policy
	// Object reads the object of the wait. Its error confirms a refusal that may concern only a part of the object.
	Object func(context.Context) error
	// Passes reports whether the wait is for this error to end. Nil means no error.
	Passes func(error) bool

	status int
	since  time.Time // Zero: the last response was not a refusal.
}

// Final reports whether the error of the last check ends the wait, and with which error: it does once the service has
// refused for a minute with the same status.
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
			return true, confirmed // The whole object is gone, not only a part of it.
		}
	}
	return true, err
}
