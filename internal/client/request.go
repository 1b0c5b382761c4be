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

	"github.com/agentplane/terraform-provider-agentplane/internal/client/mask"
)

// request is one operation.
type request struct {
	method string
	// path begins with the version segment; its parameters are escaped.
	path  string
	query url.Values
	// body is encoded as JSON; nil sends none.
	body any
	// secrets are the values in body that no error may quote.
	secrets []string
	// merges is the depth down to which objects keep members that the body omits; 0 means that the body replaces the whole object.
	merges int
	// tracing means that the operation belongs to the tracing API.
	tracing bool
	// repeatable means that the operation is idempotent, although its method is that of a write.
	repeatable bool
	// accept reads the body of a successful response; nil if there is nothing to read.
	accept func(body []byte) error
}

// isRepeatable reports whether processing the request twice does no harm.
func (r request) isRepeatable() bool { return r.repeatable || isIdempotent(r.method) }

func isIdempotent(method string) bool { return method == http.MethodGet || method == http.MethodDelete }

// fetch is do for an operation that returns a T.
func fetch[T any](ctx context.Context, c *Client, r request, check func(*T) error) (*T, error) {
	var out *T
	r.accept = func(body []byte) error {
		out = new(T) // A new one per attempt, so that a truncated response leaves nothing behind.
		if err := decode(body, out); err != nil {
			return err
		}
		if err := normalizeIDs(out); err != nil {
			return fmt.Errorf("the response is not valid: %w", err)
		}
		return check(out)
	}
	if _, err := c.do(ctx, r); err != nil {
		return nil, err
	}
	return out, nil
}

// do sends r until it succeeds, must not be sent again, or ctx ends. With an error, it also returns the last response.
func (c *Client) do(ctx context.Context, r request) (response, error) {
	if err := checkPath(r.path); err != nil {
		return response{}, err
	}
	if r.method == http.MethodDelete { // A later create makes another object.
		c.claim(path.Base(r.path))
	}
	r.path = c.cfg.Dialect.Path(r.path)
	var payload []byte
	if r.body != nil {
		var err error
		if payload, err = json.Marshal(r.body); err != nil {
			return response{}, fmt.Errorf("%s %s: encode the request: %w", r.method, r.path, err)
		}
		payload = c.translated(r, payload)
	}
	lost := false // An earlier attempt may have been processed.
	for attempt := 1; ; attempt++ {
		a, err := c.attempt(ctx, r, payload)
		c.log(ctx, attempt, a, err)
		if err == nil {
			return a, nil
		}
		unprocessed := classify(err).unprocessed
		if lost && r.method == http.MethodDelete && StatusOf(err) == http.StatusNotFound {
			return a, nil // The attempt whose reply was lost deleted it.
		}
		if attempt > c.cfg.MaxRetries || !mayRetry(r, err) {
			if e, ok := errors.AsType[*Error](err); ok {
				e.Attempts = attempt
			} else if e, ok := errors.AsType[*TransportError](err); ok {
				e.Attempts = attempt
			}
			if lost && unprocessed {
				err = &earlierAttemptError{method: r.method, err: err}
			}
			return a, err
		}
		lost = lost || !unprocessed
		if ended := c.cfg.Sleep(ctx, pause(err, attempt, random())); ended != nil {
			return a, &interruptedError{method: r.method, path: r.path, notSent: !lost, err: ended, last: err}
		}
	}
}

// attempt sends r once and reads the whole response.
func (c *Client) attempt(ctx context.Context, r request, payload []byte) (response, error) {
	a := response{request: r, sent: c.cfg.Now(), mask: c.mask(ctx, r)}
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
	fail := func(err error) (response, error) {
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
	if err = c.judge(&a); errors.Is(err, errBrokenOff) {
		return fail(err)
	}
	return a, err
}

// WithGrace returns a context that ends some time after ctx: a write in progress continues after Ctrl-C, because its result would
// otherwise be lost.
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

// log logs an attempt. The service's message is omitted, even masked, because it is part of a body.
func (c *Client) log(ctx context.Context, attempt int, a response, err error) {
	fields := map[string]any{
		"method": a.request.method, "path": a.request.path, "attempt": attempt, "duration_ms": c.cfg.Now().Sub(a.sent).Milliseconds(),
	}
	if a.status != 0 {
		fields["status"], fields["request_id"] = a.status, a.loggedID(c.credentials)
	}
	if lost, ok := errors.AsType[*TransportError](err); ok {
		fields["error"] = lost.Err.Error()
	}
	c.cfg.Log(ctx, "control plane request", fields)
}

// mask returns a function that hides the secrets of a request in a text.
func (c *Client) mask(ctx context.Context, r request) func(string) string {
	return mask.New(slices.Concat(c.credentials, r.secrets, mask.Secrets(ctx))...)
}

// sleep waits, unless d is zero.
func (c *Client) sleep(ctx context.Context, d time.Duration) error {
	if d == 0 {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return c.cfg.Sleep(ctx, d)
}

// checkPath refuses parameters that would change the operation: empty ones, "." and "..".
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

// parameters returns a query with the parameters that aren't empty.
func parameters(all map[string]string) url.Values {
	query := url.Values{}
	for name, value := range all {
		if value != "" {
			query.Set(name, value)
		}
	}
	return query
}

// pathTo appends escaped parameters to a path.
func pathTo(path string, parameters ...string) string {
	segments := []string{path}
	for _, p := range parameters {
		segments = append(segments, url.PathEscape(p))
	}
	return strings.Join(segments, "/")
}
