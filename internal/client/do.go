package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client/mask"
)

// fetch is do for an operation that returns a T.
func fetch[T any](ctx context.Context, c *Client, r request, check func(*T) error) (*T, httpResponse, error) {
	var out *T
	r.accept = func(body []byte) error {
		out = new(T) // A new one per attempt, so that a truncated response leaves nothing behind.
		if err := decode(body, out); err != nil {
			return err
		}
		if err := isUUIDs(out); err != nil {
			return fmt.Errorf("the response is not valid: %w", err)
		}
		return check(out)
	}
	a, err := c.do(ctx, r)
	if err != nil {
		return nil, a, err
	}
	return out, a, nil
}

// do sends r until it succeeds, must not be sent again, or ctx ends. With an error, it also returns the last response.
func (c *Client) do(ctx context.Context, r request) (httpResponse, error) {
	if err := checkPath(r.path); err != nil {
		return httpResponse{}, err
	}
	if r.method == http.MethodDelete { // A later create makes another object.
		c.claim(path.Base(r.path))
	}
	r.path = c.cfg.Dialect.Path(r.path)
	var payload []byte
	if r.body != nil {
		var err error
		if payload, err = json.Marshal(r.body); err != nil {
			return httpResponse{}, fmt.Errorf("%s %s: encode the request: %w", r.method, r.path, err)
		}
		payload = c.translated(r, payload)
	}
	lost := false // An earlier attempt may have been processed.
	for attempt := 1; ; attempt++ {
		a, err := c.attempt(ctx, r, payload)
		c.log(ctx, r, attempt, a, err)
		if err == nil {
			return a, nil
		}
		v := classify(err)
		if lost && r.method == http.MethodDelete && StatusOf(err) == http.StatusNotFound {
			return a, nil // The attempt whose reply was lost deleted it.
		}
		if !v.again(r.repeatable || isIdempotent(r.method)) || attempt > c.cfg.MaxRetries {
			err = withAttempts(err, attempt)
			if lost && v.unprocessed {
				err = &earlierAttemptError{method: r.method, err: err}
			}
			return a, err
		}
		lost = lost || !v.unprocessed
		if ended := c.cfg.Sleep(ctx, pause(err, attempt, random())); ended != nil {
			return a, &interruptedError{method: r.method, path: r.path, notSent: !lost, err: ended, last: err}
		}
	}
}

// attempt sends r once and reads the whole response.
func (c *Client) attempt(ctx context.Context, r request, payload []byte) (httpResponse, error) {
	a := httpResponse{sent: c.cfg.Now(), mask: mask.New(slices.Concat(c.credentials, r.secrets, mask.Secrets(ctx))...)}
	if err := ctx.Err(); err != nil {
		return a, &interruptedError{method: r.method, path: r.path, notSent: true, err: err}
	}
	timeout := attemptTimeoutError{c.cfg.RequestTimeout}
	outlive := ctx
	if !isIdempotent(r.method) {
		var cancel context.CancelFunc
		outlive, cancel = c.WithGrace(ctx)
		defer cancel()
	}
	sending, cancel := context.WithTimeoutCause(outlive, timeout.limit, timeout)
	defer cancel()
	// Without a connection, nothing has been sent and nothing can have been processed. With TLS 1.3, a client learns only after
	// connecting that its certificate is refused.
	var connected atomic.Bool
	sending = httptrace.WithClientTrace(sending, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { connected.Store(true) },
	})
	fail := func(err error) (httpResponse, error) {
		notSent := !connected.Load() || refusesCertificate(err)
		if ended := ctx.Err(); ended != nil {
			return a, &interruptedError{method: r.method, path: r.path, notSent: notSent, err: ended}
		}
		if errors.Is(context.Cause(sending), timeout) {
			err = timeout
		}
		if wrapped, ok := errors.AsType[*url.Error](err); ok {
			err = wrapped.Err // The rest repeats method and URL.
		}
		if text := err.Error(); a.mask(text) != text {
			err = maskedError{a.mask(text), err} // Invalid HTTP is quoted, too.
		}
		return a, &TransportError{Method: r.method, Path: r.path, NotSent: notSent, Err: err}
	}

	req, err := c.newRequest(sending, r, payload)
	if err != nil {
		return a, err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return fail(err)
	}
	defer resp.Body.Close()
	a.status, a.header, a.url = resp.StatusCode, resp.Header, resp.Request.URL
	a.body, err = readBody(resp.Body, maxBody)
	a.received = c.cfg.Now()
	if err != nil {
		return fail(err)
	}
	if err := c.judge(r, &a); errors.Is(err, errBrokenOff) {
		return fail(err)
	} else if err != nil {
		return a, err
	}
	return a, nil
}

// WithGrace returns a context that ends some time after ctx: a write in progress continues, because a caller that stops waiting
// for it, for example after Ctrl-C, would never learn what it made.
func (c *Client) WithGrace(ctx context.Context) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(c.grace, cancel) })
	return longer, func() {
		stop()
		cancel()
	}
}

func (c *Client) newRequest(ctx context.Context, r request, payload []byte) (*http.Request, error) {
	target := c.baseURL + r.path
	if r.tracing {
		target = c.tracingURL + r.path
	}
	if len(r.query) > 0 {
		target += "?" + r.query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, r.method, target, bytes.NewReader(payload))
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", r.method, r.path, err)
	}
	if !r.tracing || c.sameHost {
		for name, value := range c.cfg.Headers {
			req.Header.Set(name, value)
		}
	}
	for name, value := range map[string]string{
		"X-Api-Key": c.cfg.APIKey, "X-Tenant-Id": c.workspaceID, "User-Agent": c.cfg.UserAgent, "Accept": "application/json",
	} {
		if value != "" {
			req.Header.Set(name, value)
		}
	}
	if c.cfg.BearerToken != "" {
		req.Header.Set("Authorization", "Bearer "+c.cfg.BearerToken)
	}
	if payload != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, nil
}

// translated translates a body of r between the service's words and the neutral ones.
func (c *Client) translated(r request, body []byte) []byte {
	if r.tracing {
		return body // Traced content may contain any word.
	}
	return c.cfg.Dialect.Body(body)
}

// judge translates a response, and returns an error unless it is what the request asks for.
func (c *Client) judge(r request, a *httpResponse) error {
	a.body = c.translated(r, a.body)
	switch {
	case !isSuccess(a.status) || a.status != http.StatusNoContent && a.isHTML():
		return c.refused(r, *a)
	case r.accept == nil:
		return nil
	case !r.tracing && api.TooDeep(a.body):
		return a.failureWith(r, fmt.Sprintf("the response is nested more than %d levels deep", api.MaxDepth))
	}
	err := r.accept(a.body)
	if err != nil {
		err = r.accept(withIntegers(a.body))
	}
	switch {
	case err == nil:
		c.servers.LoadOrStore(servedBy{r.tracing, a.product()}, true)
		return nil
	case errors.Is(err, errBrokenOff):
		return err
	default:
		return a.failureWith(r, err.Error())
	}
}

// refused returns the error for a response without success, with what may explain it.
func (c *Client) refused(r request, a httpResponse) error {
	e := a.failure(r)
	if e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden {
		e.Server = mask.Snippet(a.mask(mask.OneLine(a.header.Get(serverHeader))))
		e.Intercepted = !isServiceError(a.body) || c.isForeignServer(r.tracing, a.product())
	}
	e.Misaddressed = (e.Intercepted || e.isForeign()) && !c.hasAnswered(r.tracing)
	if !r.tracing {
		e.OtherDialect = e.otherDialect(c.cfg.Dialect)
		if e.Misaddressed {
			e.SuggestedBaseURL = c.suggestedBaseURL
		}
	}
	return e
}

// servedBy is what served an API; product is empty if responses name no program. One API may be served by several programs.
type servedBy struct {
	tracing bool
	product string
}

// isForeignServer says whether a program has never served the API, while others have.
func (c *Client) isForeignServer(tracing bool, product string) bool {
	others := false
	for by := range c.servers.Range {
		known, _ := by.(servedBy)
		if known == (servedBy{tracing, product}) {
			return false
		}
		others = others || known.tracing == tracing && known.product != ""
	}
	return product != "" && others
}

// hasAnswered reports whether an API has answered a request, so that its URL is right.
func (c *Client) hasAnswered(tracing bool) bool {
	for by := range c.servers.Range {
		if known, _ := by.(servedBy); known.tracing == tracing {
			return true
		}
	}
	return false
}

func (c *Client) log(ctx context.Context, r request, attempt int, a httpResponse, err error) {
	fields := map[string]any{
		"method": r.method, "path": r.path, "attempt": attempt, "duration_ms": c.cfg.Now().Sub(a.sent).Milliseconds(),
	}
	if a.status != 0 {
		fields["status"], fields["request_id"] = a.status, a.loggedID(c.credentials)
	}
	// The service's message is not logged, not even masked, because it is part of a body.
	if lost, ok := errors.AsType[*TransportError](err); ok {
		fields["error"] = lost.Err.Error()
	}
	c.cfg.Log(ctx, "control plane request", fields)
}

func withAttempts(err error, attempts int) error {
	if e, ok := errors.AsType[*Error](err); ok {
		e.Attempts = attempts
	} else if e, ok := errors.AsType[*TransportError](err); ok {
		e.Attempts = attempts
	}
	return err
}

// checkPath refuses an empty parameter and one of dots, which would change the operation.
func checkPath(path string) error {
	before := ""
	for segment := range strings.SplitSeq(path[1:], "/") {
		if segment == "" || segment == "." || segment == ".." {
			return fmt.Errorf("%q is not an ID to append to %s", segment, before)
		}
		before += "/" + segment
	}
	return nil
}
