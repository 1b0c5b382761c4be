package client

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client/mask"
)

// maxErrorBody is far above the size of any error, and small enough to search every part of it for secrets.
const maxErrorBody = 256 << 10

// httpResponse is one HTTP response, with the times when its request was sent and when it was received, by the local clock.
type httpResponse struct {
	url            *url.URL // After redirects.
	status         int
	header         http.Header
	body           []byte
	sent, received time.Time
	// mask masks secrets in everything that the service wrote.
	mask func(string) string
}

// isHTML also checks the first byte: no JSON begins with "<", whatever the header says.
func (a httpResponse) isHTML() bool {
	return strings.HasPrefix(strings.ToLower(a.header.Get("Content-Type")), "text/html") ||
		bytes.HasPrefix(bytes.TrimSpace(a.body), []byte("<"))
}

// failure returns the Error of a response.
func (a httpResponse) failure(r request) *Error {
	e := &Error{
		Method: r.method, Path: r.path, Status: a.status, HTML: a.isHTML(), Tracing: r.tracing,
		RequestID: a.requestID(),
	}
	e.RetryAfter, e.hasRetryAfter = retryAfter(a.header, a.received)
	switch {
	case a.header.Get("Location") != "" && a.status >= 300 && a.status < 400:
		e.Detail, e.HTML = a.mask(redirectDetail(a.url, a.header.Get("Location"))), false
	case e.HTML:
		e.Detail = mask.Snippet(a.mask(mask.OneLine(pageTitle(a.body))))
	default:
		e.Detail, e.Validation, e.explained = errorBody(a.body, a.mask)
	}
	return e
}

// product returns the program that a response names as its server, without the version; empty if it names none.
func (a httpResponse) product() string {
	product, _, _ := strings.Cut(a.header.Get(serverHeader), "/")
	return product
}

// failureWith returns the Error of a successful response that is not usable.
func (a httpResponse) failureWith(r request, detail string) *Error {
	return &Error{
		Method: r.method, Path: r.path, Status: a.status, Detail: a.mask(detail), Tracing: r.tracing, RequestID: a.requestID(),
	}
}

// requestID returns the service's request ID, which may contain parts of the request.
func (a httpResponse) requestID() string {
	return mask.Snippet(a.mask(mask.OneLine(a.header.Get("X-Request-Id"))))
}

// commonID matches the request IDs of nearly all services.
var commonID = regexp.MustCompile(`^[0-9a-fA-F-]{1,64}$`)

// loggedID returns the request ID for logs, which every request has. Searching it for secrets would cost more than everything else,
// and the log masks a secret of a resource that matches commonID.
func (a httpResponse) loggedID(credentials []string) string {
	id := a.header.Get("X-Request-Id")
	reveals := func(credential string) bool {
		return credential != "" && strings.Contains(strings.ToLower(id), strings.ToLower(credential))
	}
	if id == "" || commonID.MatchString(id) && !slices.ContainsFunc(credentials, reveals) {
		return id
	}
	return a.requestID()
}

// redirectDetail only names the host, because the rest of a Location may contain a token.
func redirectDetail(from *url.URL, location string) string {
	to, err := from.Parse(location)
	if err != nil {
		return "redirected to an address that is not a URL; check base_url"
	}
	if origin(to) == origin(from) {
		return fmt.Sprintf("redirected within %s, which is followed for reads only and at most %d times; "+
			"check the path of base_url", to.Host, maxRedirects)
	}
	return fmt.Sprintf("redirected to %s://%s, which is not followed because it would take the credentials there; "+
		"set base_url to it if that is where the service is", to.Scheme, to.Host)
}

// errorBody reads {"detail": "…"} and {"detail": [{loc, msg, type}]}, which explained reports, and does its best with anything else.
func errorBody(body []byte, hide func(string) string) (detail string, problems []api.ValidationError, explained bool) {
	var envelope struct {
		Detail json.RawMessage `json:"detail"`
		// Used by gateways.
		Message string `json:"message"`
		Error   string `json:"error"`
	}
	whole := func() string { return mask.Snippet(hide(mask.OneLine(string(body[:min(len(body), mask.Longest)])))) }
	if len(body) > maxErrorBody || json.Unmarshal(body, &envelope) != nil {
		return whole(), nil, false
	}
	var text string
	if json.Unmarshal(envelope.Detail, &text) == nil && text != "" {
		return hide(mask.OneLine(text)), nil, true
	}
	var entries []json.RawMessage
	if json.Unmarshal(envelope.Detail, &entries) == nil && len(entries) > 0 {
		problems := make([]api.ValidationError, len(entries))
		for i, entry := range entries {
			problems[i] = validationError(entry, hide)
		}
		return "", problems, true
	}
	if text := cmp.Or(envelope.Message, envelope.Error); text != "" {
		return hide(mask.OneLine(text)), nil, false
	}
	return whole(), nil, false
}

// validationError ignores input and ctx, in which newer services echo the refused value.
func validationError(entry json.RawMessage, hide func(string) string) api.ValidationError {
	var parsed struct {
		Loc  []json.RawMessage `json:"loc"`
		Msg  string            `json:"msg"`
		Type string            `json:"type"`
	}
	if json.Unmarshal(entry, &parsed) != nil || parsed.Msg == "" {
		return api.ValidationError{Msg: mask.Snippet(hide(mask.OneLine(string(entry))))}
	}
	problem := api.ValidationError{Msg: hide(mask.OneLine(parsed.Msg)), Type: hide(mask.OneLine(parsed.Type))}
	for _, raw := range parsed.Loc {
		var step api.LocStep
		if string(raw) == "null" || json.Unmarshal(raw, &step) != nil {
			step = api.Key(string(raw)) // true, 1.5 or null: not an index, but readable.
		}
		step.Key = hide(mask.OneLine(step.Key))
		problem.Loc = append(problem.Loc, step)
	}
	return problem
}

var title = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title>`)

// pageTitle returns the title of an HTML page; its body is markup and scripts.
func pageTitle(page []byte) string {
	if found := title.FindSubmatch(page); found != nil {
		return html.UnescapeString(string(found[1]))
	}
	return ""
}

func isSuccess(status int) bool { return status >= 200 && status < 300 }

// retryAfter reads Retry-After, which is a number of seconds or a date of the server's clock.
func retryAfter(h http.Header, now time.Time) (time.Duration, bool) {
	value := strings.TrimSpace(h.Get("Retry-After"))
	if seconds, err := strconv.ParseUint(value, 10, 32); err == nil {
		return time.Duration(seconds) * time.Second, true
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0, false
	}
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		now = date
	}
	return max(0, at.Sub(now)), true
}

// serverHeader is the header in which the software that wrote a response calls itself.
const serverHeader = "Server"

// isServiceError reports whether a body has the form of the service's errors. Gateways use others, such as {"message": "…"}.
func isServiceError(body []byte) bool {
	var e struct {
		Detail, Error json.RawMessage
	}
	return json.Unmarshal(body, &e) == nil && (e.Detail != nil || e.Error != nil)
}
