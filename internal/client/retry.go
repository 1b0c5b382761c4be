package client

import (
	"errors"
	"math/rand/v2"
	"net/http"
	"time"
)

const (
	backoffBase   = 500 * time.Millisecond
	backoffCap    = 10 * time.Second
	maxRetryAfter = 60 * time.Second
)

// retryability describes what a failed attempt means for the request.
type retryability struct {
	// transient: the same request may succeed later.
	transient bool
	// unprocessed: the service provably did nothing with it.
	unprocessed bool
}

// classify defines what each failure means. Only proof that nothing was done counts as unprocessed: gateways have their own
// statuses for a service that may have processed the request, such as 520 and 524.
//
//	never connected                       transient    unprocessed
//	certificate or protocol mismatch      -            unprocessed
//	no answer, timeout, broken-off body   transient    -
//	425, 429; 503 with Retry-After        transient    unprocessed
//	408, every other 5xx                  transient    -
//	every other 3xx and 4xx               -            unprocessed   the service never redirects: a proxy in front of it did
//	2xx that is not the expected JSON     -            -
func classify(err error) retryability {
	if answered, ok := errors.AsType[*Error](err); ok {
		return classifyStatus(answered)
	}
	if lost, ok := errors.AsType[*TransportError](err); ok {
		return retryability{transient: !lost.permanent(), unprocessed: lost.NotSent}
	}
	if stopped, ok := errors.AsType[*interruptedError](err); ok {
		return retryability{unprocessed: stopped.notSent}
	}
	return retryability{unprocessed: true} // Refused before anything was sent.
}

func classifyStatus(e *Error) retryability {
	switch {
	case e.Status == http.StatusTooManyRequests, e.Status == http.StatusTooEarly:
		return retryability{transient: true, unprocessed: true}
	case e.Status == http.StatusServiceUnavailable:
		return retryability{transient: true, unprocessed: e.hasRetryAfter}
	case e.Status == http.StatusRequestTimeout, e.Status >= http.StatusInternalServerError:
		return retryability{transient: true}
	}
	return retryability{unprocessed: e.Status >= http.StatusMultipleChoices}
}

// mayRetry reports whether a request may be sent again after a failed attempt.
func mayRetry(r request, err error) bool {
	failure := classify(err)
	return failure.transient && (failure.unprocessed || r.isRepeatable())
}

// pause returns how long to wait after the given attempt (the first is 1): as long as the service requests, otherwise full jitter
// under a doubling ceiling. random is in [0, 1).
func pause(err error, attempt int, random float64) time.Duration {
	if answered, ok := errors.AsType[*Error](err); ok && answered.RetryAfter > 0 {
		return min(answered.RetryAfter, maxRetryAfter)
	}
	ceiling := backoffCap
	if doublings := attempt - 1; doublings < 5 {
		ceiling = min(backoffCap, backoffBase<<doublings)
	}
	return time.Duration(random * float64(ceiling))
}

func random() float64 { return rand.Float64() } //nolint:gosec // Not used for secrets.

// proofPauses are the waits before each read that may show a write: 30 seconds in all. A gateway may time out before the service behind
// it, so the effect may appear a little later. doubtPauses are those after a refusal that may not come from the service: 15 seconds.
var (
	proofPauses = [...]time.Duration{0, time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 15 * time.Second}
	doubtPauses = proofPauses[:5]
)
