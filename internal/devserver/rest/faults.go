package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
)

// Fault is a simulated failure. Armed faults are kept in memory, or in the data if several servers share it; the fault of a rollout is
// stored with its revision. A fault has one kind: an answer (Status), a closed connection (Drop, DropBefore), an answer that isn't true
// (Swallow, Stale), or a Rollout. LatencyMS can be combined with all kinds but Rollout, and Body with Swallow; each can also be used alone.
type Fault struct {
	// Match is a net/http.ServeMux pattern for the requests to hit, for example "POST /v2/deployments" or "GET
	// /v2/deployments/{deployment_id}"; empty hits every request. It can't be set for a Rollout.
	Match string `json:"match,omitzero"`
	// Times is the number of requests or revisions to hit; zero means one.
	Times int64 `json:"times,omitzero"`
	// Skip is the number of matching requests or revisions to let pass before the first hit.
	Skip int64 `json:"skip,omitzero"`

	// Status is returned without performing the operation, with Detail, or with HTML as a load balancer would return.
	Status int64  `json:"status,omitzero"`
	Detail string `json:"detail,omitzero"`
	HTML   string `json:"html,omitzero"`
	// RetryAfter is the Retry-After header in seconds, for status 429 and 503. Nil omits it.
	RetryAfter *int64 `json:"retry_after,omitzero"`

	// LatencyMS is waited before anything else, in real time, unless the client gives up.
	LatencyMS int64 `json:"latency_ms,omitzero"`
	// Drop performs the operation, then closes the connection without a response.
	Drop bool `json:"drop,omitzero"`
	// DropBefore closes the connection without performing the operation.
	DropBefore bool `json:"drop_before,omitzero"`

	// Swallow performs the operation, answers normally and stores nothing. It doesn't hit reads and requests that log runs.
	Swallow bool `json:"swallow,omitzero"`
	// Stale performs the operation, but answers with the object as it was before. It hits only requests that change an object
	// and answer with it: PATCH, PUT and redeployments.
	Stale bool `json:"stale,omitzero"`
	// Body replaces the body of a successful answer. It is sent unchanged, with status 200 instead of 204, unless it is empty.
	// Nil keeps the body.
	Body *string `json:"body,omitzero"`

	// Rollout makes the next new revision that reaches its state fail.
	Rollout *RolloutFault `json:"rollout,omitzero"`

	// WorkspaceID limits the fault to a workspace. Over HTTP, it is the caller's; empty in Arm applies to all workspaces.
	WorkspaceID string `json:"-"`

	matcher *http.ServeMux
	seq     int64 // Its number among those that are armed.
}

// RolloutFault describes how a rollout fails.
type RolloutFault struct {
	// State is where it happens: CREATING (in dialects that show it), QUEUED, AWAITING_BUILD, BUILDING, AWAITING_DEPLOY or DEPLOYING. At the end of that state,
	// the revision becomes CREATE_FAILED, BUILD_FAILED or DEPLOY_FAILED.
	State api.RevisionStatus `json:"state"`
	// Stall keeps the revision in the state forever instead.
	Stall bool `json:"stall,omitzero"`
	// Status is reported instead of the state, for example INTERRUPTED or a status unknown to clients; the rollout then
	// continues, unless Stall is set.
	Status api.RevisionStatus `json:"status,omitzero"`
	// Message becomes the revision's status_message.
	Message string `json:"message,omitzero"`
}

// errDropped requests that the connection be closed without a response.
var errDropped = errors.New("connection dropped by a fault")

// checked returns the fault with its defaults, or an error if it is invalid.
func (f Fault) checked() (Fault, error) {
	kinds := f.kinds()
	retryAfter := api.OrEmpty(f.RetryAfter)
	for _, rule := range []struct {
		broken  bool
		problem string
	}{
		{f.Times < 0 || f.Skip < 0, fmt.Sprintf("times %d and skip %d must not be negative", f.Times, f.Skip)},
		{f.Status != 0 && (f.Status < 200 || f.Status > 599), fmt.Sprintf("status %d is not a final HTTP status: use 200 to 599", f.Status)},
		{retryAfter < 0, fmt.Sprintf("retry_after %d must not be negative", retryAfter)},
		{f.LatencyMS < 0 || f.Latency() > limits.FaultLatency, fmt.Sprintf("latency_ms %d is out of range: use 0 to %d", f.LatencyMS, limits.FaultLatency.Milliseconds())},
		{len(f.Detail)+len(f.HTML)+len(f.Match)+len(api.OrEmpty(f.Body)) > limits.FaultBytes, fmt.Sprintf("match, detail, html and body have more than %d bytes in total", limits.FaultBytes)},
		{kinds > 1, "set only one of status, drop, drop_before, swallow, stale and rollout"},
		{kinds == 0 && f.LatencyMS == 0 && f.Body == nil, "the fault has no effect: set status, drop, drop_before, swallow, stale, body, rollout or latency_ms"},
		{f.Body != nil && kinds > 0 && !f.Swallow, "body can be combined only with swallow, match, times, skip and latency_ms"},
		{f.Rollout != nil && (f.Match != "" || f.LatencyMS != 0), "a rollout can't be combined with match or latency_ms: it applies to the next revision created"},
		{f.Status == 0 && (f.Detail != "" || f.HTML != "" || f.RetryAfter != nil), "detail, html and retry_after require a status"},
		{f.Detail != "" && f.HTML != "", "set only one of detail and html"},
		{f.RetryAfter != nil && f.Status != http.StatusTooManyRequests && f.Status != http.StatusServiceUnavailable, fmt.Sprintf("retry_after requires status 429 or 503, not %d", f.Status)},
	} {
		if rule.broken {
			return f, errors.New(rule.problem)
		}
	}
	f.Times = max(f.Times, 1)
	return f.withMatcher()
}

// kinds is the number of kinds that the fault has.
func (f Fault) kinds() (n int) {
	for _, is := range []bool{f.Status != 0, f.Drop, f.DropBefore, f.Swallow, f.Stale, f.Rollout != nil} {
		if is {
			n++
		}
	}
	return n
}

// withMatcher compiles Match. ServeMux panics on an invalid pattern and has no other way to check one.
func (f Fault) withMatcher() (_ Fault, err error) {
	defer func() {
		if bad := recover(); bad != nil {
			err = fmt.Errorf("match %q is not a pattern such as \"POST /v2/deployments\": %v", f.Match, bad)
		}
	}()
	if f.Match == "" {
		return f, nil
	}
	f.matcher = http.NewServeMux()
	f.matcher.Handle(f.Match, match{})
	return f, nil
}

// Latency is LatencyMS as a duration.
func (f Fault) Latency() time.Duration { return time.Duration(f.LatencyMS) * time.Millisecond }

func (f Fault) hits(r *http.Request, e Endpoint, workspaceID string) bool {
	switch {
	case f.Rollout != nil || !f.Concerns(workspaceID),
		(f.Swallow || f.Stale) && (e.Methods[r.Method] == nil || e.reads(r)),
		f.Stale && e.object(r.Method) == nil:
		return false
	}
	if f.matcher == nil {
		return true
	}
	found, _ := f.matcher.Handler(r) // Differs if ServeMux would redirect or refuse the request.
	return found == http.Handler(match{})
}

// match is the handler of a matcher; it is never called.
type match struct{}

func (match) ServeHTTP(http.ResponseWriter, *http.Request) {}

// Concerns reports whether the fault is armed for a workspace.
func (f Fault) Concerns(workspaceID string) bool {
	return f.WorkspaceID == "" || f.WorkspaceID == workspaceID
}

// answer returns the answer of a fault with a status.
func (f Fault) answer() Answer {
	a := Answer{Status: int(f.Status), Body: api.ErrorDetail{Detail: f.Detail}}
	if f.Detail == "" {
		a.Body = api.ErrorDetail{Detail: http.StatusText(a.Status)}
	}
	if f.HTML != "" {
		a.Body = HTML(f.HTML)
	}
	if f.RetryAfter != nil {
		a.Header = http.Header{"Retry-After": {strconv.FormatInt(*f.RetryAfter, 10)}}
	}
	return a
}

// around performs a request unless a fault hits it; made reports whether the answer comes from the fault.
func (q *Faults) around(ctx context.Context, x *exchange, answer mode) (_ Answer, made bool, _ error) {
	f, hit, err := q.hit(ctx, func(f Fault) bool { return f.hits(x.request, x.endpoint, x.workspaceID) })
	if err != nil {
		return Answer{}, false, err
	}
	if !hit {
		a, err := answer(ctx, x)
		return a, false, err
	}
	if err := wait(ctx, f.Latency()); err != nil || f.DropBefore {
		return Answer{}, true, errDropped
	}
	if f.Status != 0 {
		return f.answer(), true, nil
	}
	x.fault = f
	a, err := answer(ctx, x)
	if f.Drop {
		return Answer{}, true, errDropped
	}
	if f.Body != nil && err == nil && a.Status < http.StatusMultipleChoices {
		a = a.with(*f.Body)
	}
	return a, err == nil && (f.Swallow || f.Stale || f.Body != nil), err
}

// errSwallowed rolls back a transaction whose work has succeeded.
var errSwallowed = errors.New("swallowed by a fault")

// wait returns early, with the reason, if the client disconnects.
func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
