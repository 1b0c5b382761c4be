package client

import (
	"context"
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

// failure describes what a failed attempt means for the request.
type failure struct {
	// method of the request; empty if nothing was sent.
	method string
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
func classify(err error) failure {
	if answered, ok := errors.AsType[*Error](err); ok {
		return classifyStatus(answered)
	}
	if lost, ok := errors.AsType[*TransportError](err); ok {
		return failure{lost.Method, !lost.permanent(), lost.NotSent}
	}
	if stopped, ok := errors.AsType[*interruptedError](err); ok {
		return failure{stopped.method, false, stopped.notSent}
	}
	return failure{unprocessed: true} // Refused before anything was sent.
}

func classifyStatus(e *Error) failure {
	switch {
	case e.Status == http.StatusTooManyRequests, e.Status == http.StatusTooEarly:
		return failure{e.Method, true, true}
	case e.Status == http.StatusServiceUnavailable:
		return failure{e.Method, true, e.hasRetryAfter}
	case e.Status == http.StatusRequestTimeout, e.Status >= http.StatusInternalServerError:
		return failure{e.Method, true, false}
	}
	return failure{e.Method, false, e.Status >= http.StatusMultipleChoices}
}

// mayRetry reports whether a request may be sent again after a failed attempt.
func mayRetry(r request, err error) bool {
	f := classify(err)
	return f.transient && (f.unprocessed || r.isRepeatable())
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

// IsTransient reports whether a read may succeed later. The end of the caller's context and a write with an unknown outcome don't
// count.
func IsTransient(err error) bool {
	if errors.Is(err, context.Canceled) {
		return false
	}
	if _, unknown := errors.AsType[*OutcomeUnknownError](err); unknown {
		return false
	}
	return err != nil && classify(err).transient
}

// IsAmbiguous reports whether the outcome of a write is unknown.
func IsAmbiguous(err error) bool {
	if _, unknown := errors.AsType[*OutcomeUnknownError](err); unknown {
		return true
	}
	if earlier, ok := errors.AsType[*earlierAttemptError](err); ok {
		return !isIdempotent(earlier.method)
	}
	f := classify(err)
	return err != nil && !f.unprocessed && !isIdempotent(f.method)
}

// IsConflict reports whether the service refused a write, for example because another change is in progress.
func IsConflict(err error) bool { return StatusOf(err) == http.StatusConflict && !IsAmbiguous(err) }

// isRefusal reports whether the service itself refused a write: a 4xx with a JSON detail that isn't transient. Any other refusal may
// come from something in front of the service, which may have processed the request all the same.
func isRefusal(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.explained && !e.Intercepted && e.Status/100 == 4 && !classify(err).transient && !IsAmbiguous(err)
}

// MayHaveHappened reports whether a failed write may have been processed: its outcome is unknown, or the refusal may not be the
// service's own.
func MayHaveHappened(err error) bool {
	_, answered := errors.AsType[*Error](err)
	return IsAmbiguous(err) || answered && !isRefusal(err) && !classify(err).transient
}

// FoundID returns the ID of the object that a failed create may have made; empty if none was found.
func FoundID(err error) string {
	if unknown, ok := errors.AsType[*OutcomeUnknownError](err); ok {
		return unknown.ID
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.FoundID
	}
	return ""
}
