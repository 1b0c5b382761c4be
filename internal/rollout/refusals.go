package rollout

import (
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/poll"
)

// patience is how long a service has to refuse until it is believed. What it has accepted goes on meanwhile, and an odd answer
// of something before it passes.
const patience = time.Minute

// refusals tells a service that refuses for good from one that gives an odd answer now and then.
type refusals struct {
	policy poll.Policy

	status int
	since  time.Time // Zero: the last look was no refusal.
}

// lasted says whether looks have been refused for a minute, with the same status all the time. err is that of the last look.
func (r *refusals) lasted(err error) bool {
	if err == nil || Outage(err) {
		r.since = time.Time{}
		return false
	}
	now, status := r.policy.Now(), client.StatusOf(err)
	if r.since.IsZero() || status != r.status {
		r.status, r.since = status, now
	}
	return now.Sub(r.since) >= patience
}
