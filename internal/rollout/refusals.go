package rollout

import (
	"context"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/poll"
)

// patience is how long nothing but refusals must arrive before a wait ends. The accepted operation continues meanwhile, and anything in
// front of the service may give wrong answers for minutes.
const patience = 10 * time.Minute

// Until is poll.Until for an operation that the service has accepted: no single error ends the wait, whatever its status. It ends when
// check is done, with or without an error, at the limit, and after ten minutes of nothing but refusals. Errors for which expected is true
// aren't refusals; expected may be nil.
func Until[T any](
	ctx context.Context, p poll.Policy, limit time.Duration, expected func(error) bool, check func(context.Context) (T, bool, error),
) (T, error) {
	continues, counted := counting(p, expected, check)
	return poll.Until(ctx, p, limit, continues, counted)
}

// Follow is Until for checks that change nothing: it checks once more after the limit, as poll.Follow does.
func Follow[T any](
	ctx context.Context, p poll.Policy, limit time.Duration, expected func(error) bool, check func(context.Context) (T, bool, error),
) (T, error) {
	continues, counted := counting(p, expected, check)
	return poll.Follow(ctx, p, limit, continues, counted)
}

// counting returns a check that counts refusals, and reports whether the wait continues after its error.
func counting[T any](p poll.Policy, expected func(error) bool, check func(context.Context) (T, bool, error)) (
	continues func(error) bool, counted func(context.Context) (T, bool, error),
) {
	var since time.Time // The first of nothing but refusals; zero: the last response was none.
	ended := false
	return func(error) bool { return !ended }, func(ctx context.Context) (value T, _ bool, err error) {
		value, ended, err = check(ctx)
		switch now := p.Now(); {
		case err == nil || Outage(err) || expected != nil && expected(err):
			since = time.Time{}
		case since.IsZero():
			since = now
		default:
			ended = ended || now.Sub(since) >= patience
		}
		return value, ended, err
	}
}
