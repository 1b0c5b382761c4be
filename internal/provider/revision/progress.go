package revision

import (
	"context"
	"fmt"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/poll"
)

// silence is how long nothing may be told while something is waited for.
const silence = 30 * time.Second

// progress is what a person is told while waiting, with the time since the beginning.
type progress struct {
	send        func(string)
	clock       poll.Clock // Nil is the system's.
	start, told time.Time
}

func newProgress(clock poll.Clock, send func(string)) progress {
	p := progress{send: send, clock: clock}
	p.start = p.now()
	p.told = p.start
	return p
}

func (p *progress) tell(format string, args ...any) {
	p.told = p.now()
	p.send(fmt.Sprintf(format, args...) + fmt.Sprintf(" (%s)", p.elapsed()))
}

// heartbeat tells only when nothing has been told for a while.
func (p *progress) heartbeat(format string, args ...any) {
	if p.now().Sub(p.told) >= silence {
		p.tell(format, args...)
	}
}

func (p *progress) elapsed() time.Duration { return p.now().Sub(p.start).Round(time.Second) }

func (p *progress) now() time.Time {
	if p.clock == nil {
		return time.Now()
	}
	return p.clock.Now()
}

// tellLog tells the last lines of the log of a rollout that failed, where the service offers them.
func (r *rolling) tellLog(ctx context.Context) {
	lines, err := r.LogTail(ctx)
	if err != nil {
		r.tell("revision %s: its log can't be read: %s", r.Revision.ID, client.Mask(ctx, err.Error()))
	}
	for _, line := range lines {
		r.send(line)
	}
}
