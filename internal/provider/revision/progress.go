package revision

import (
	"context"
	"fmt"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/client/mask"
)

// silence is the longest time without a progress message during a wait.
const silence = 30 * time.Second

// progress reports to the user during a wait, with the elapsed time.
type progress struct {
	send        func(string)
	now         func() time.Time
	start, told time.Time
}

func newProgress(now func() time.Time, send func(string)) progress {
	start := now()
	return progress{send: send, now: now, start: start, told: start}
}

func (p *progress) tell(format string, args ...any) {
	p.told = p.now()
	p.send(fmt.Sprintf(format, args...) + fmt.Sprintf(" (%s)", p.elapsed()))
}

// heartbeat reports only if nothing has been reported for a while.
func (p *progress) heartbeat(format string, args ...any) {
	if p.now().Sub(p.told) >= silence {
		p.tell(format, args...)
	}
}

func (p *progress) elapsed() time.Duration { return p.now().Sub(p.start).Round(time.Second) }

// tellLog reports the last lines of a failed rollout's log, if the service provides them.
func (r *rolling) tellLog(ctx context.Context) {
	lines, err := r.LogTail(ctx)
	if err != nil {
		r.tell("revision %s: cannot read its log: %s", r.Revision.ID, mask.Text(ctx, err.Error()))
	}
	for _, line := range lines {
		r.send(line)
	}
}
