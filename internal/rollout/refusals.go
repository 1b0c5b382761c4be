package rollout

import (
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/poll"
)

// patience is how long nothing but refusals must arrive before the wait ends. The accepted operation continues meanwhile, and
// anything in front of the service may give wrong answers for minutes.
const patience = 10 * time.Minute

// Refusals distinguishes a service that refuses for good from wrong answers, while waiting for an operation that the service has
// accepted.
type Refusals struct {
	Policy poll.Policy
	// Passes reports whether the wait is for this error to end. Nil means no error.
	Passes func(error) bool

	since time.Time // Zero: the last response was not a refusal.
}

// Final reports whether the error of the last check ends the wait: it does once nothing but refusals has arrived for ten minutes.
func (r *Refusals) Final(err error) bool {
	switch now := r.Policy.Now(); {
	case err == nil || Outage(err) || r.Passes != nil && r.Passes(err):
		r.since = time.Time{}
	case r.since.IsZero():
		r.since = now
	default:
		return now.Sub(r.since) >= patience
	}
	return false
}
