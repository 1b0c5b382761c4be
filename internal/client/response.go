package client

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client/mask"
)

const (
	// maxBody is far above the size of any list of a hundred deployments.
	maxBody = 64 << 20
	// maxErrorBody is far above the size of any error, and small enough to search every part of it for secrets.
	maxErrorBody = 256 << 10
	// maxSnippet limits the quotation of an HTML error page to a line or two.
	maxSnippet = 300
)

// response is one HTTP response, with the times when its request was sent and when it was received, by the local clock.
type response struct {
	url            *url.URL // After redirects.
	status         int
	header         http.Header
	body           []byte
	sent, received time.Time
	// mask masks secrets in everything that the service wrote.
	mask func(string) string
}

// readBody reads the whole body, so that the connection can be reused.
func readBody(r io.Reader, limit int64) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(body)) > limit {
		return nil, errTooLong
	}
	return body, err
}

// isHTML also checks the first byte: no JSON begins with "<", whatever the header says.
func (a response) isHTML() bool {
	return strings.HasPrefix(strings.ToLower(a.header.Get("Content-Type")), "text/html") ||
		bytes.HasPrefix(bytes.TrimSpace(a.body), []byte("<"))
}

// failure returns the Error of a response.
func (a response) failure(r request) *Error {
	e := &Error{
		Method: r.method, Path: r.path, Status: a.status, HTML: a.isHTML(), Tracing: r.tracing,
		RequestID: a.requestID(),
	}
	e.RetryAfter, e.hasRetryAfter = retryAfter(a.header, a.received)
	switch {
	case a.header.Get("Location") != "" && a.status >= 300 && a.status < 400:
		e.Detail, e.HTML = a.mask(redirectDetail(a.url, a.header.Get("Location"))), false
	case e.HTML:
		e.Detail = snippet(a.mask(mask.OneLine(pageTitle(a.body))))
	default:
		e.Detail, e.Validation, e.explained = errorBody(a.body, a.mask)
	}
	return e
}

// isServiceError reports whether a body has the form of the service's errors. Gateways use others, such as {"message": "…"}.
func isServiceError(body []byte) bool {
	var e struct {
		Detail, Error json.RawMessage
	}
	return json.Unmarshal(body, &e) == nil && (e.Detail != nil || e.Error != nil)
}

// servedBy is what served an API. One API may be served by several programs.
type servedBy struct {
	tracing bool
	product string
}

// product returns the program that a response names as its server, without the version; empty if it names none.
func (a response) product() string {
	product, _, _ := strings.Cut(a.header.Get(serverHeader), "/")
	return product
}

// isForeignServer says whether a program has never served the API, while others have.
func (c *Client) isForeignServer(tracing bool, product string) bool {
	others := false
	for by := range c.servers.Range {
		known, _ := by.(servedBy)
		if known == (servedBy{tracing, product}) {
			return false
		}
		others = others || known.tracing == tracing
	}
	return product != "" && others
}

// failureWith returns the Error of a successful response that is not usable.
func (a response) failureWith(r request, detail string) *Error {
	return &Error{
		Method: r.method, Path: r.path, Status: a.status, Detail: a.mask(detail), Tracing: r.tracing, RequestID: a.requestID(),
	}
}

// requestID returns the service's request ID, which may contain parts of the request.
func (a response) requestID() string {
	return snippet(a.mask(mask.OneLine(a.header.Get("X-Request-Id"))))
}

// commonID matches the request IDs of nearly all services.
var commonID = regexp.MustCompile(`^[0-9a-fA-F-]{1,64}$`)

// loggedID returns the request ID for logs, which every request has. Searching it for secrets would cost more than everything else,
// and the log masks a secret of a resource that matches commonID.
func (a response) loggedID(credentials []string) string {
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
	if len(body) > maxErrorBody || json.Unmarshal(body, &envelope) != nil {
		return snippet(hide(mask.OneLine(string(body[:min(len(body), mask.Longest)])))), nil, false
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
	for _, candidate := range []string{envelope.Message, envelope.Error} {
		if candidate != "" {
			return hide(mask.OneLine(candidate)), nil, false
		}
	}
	return snippet(hide(mask.OneLine(string(body[:min(len(body), mask.Longest)])))), nil, false
}

// validationError ignores input and ctx, in which newer services echo the refused value.
func validationError(entry json.RawMessage, hide func(string) string) api.ValidationError {
	var parsed struct {
		Loc  []json.RawMessage `json:"loc"`
		Msg  string            `json:"msg"`
		Type string            `json:"type"`
	}
	if json.Unmarshal(entry, &parsed) != nil || parsed.Msg == "" {
		return api.ValidationError{Msg: snippet(hide(mask.OneLine(string(entry))))}
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

// snippet returns the beginning of a text of unknown origin.
func snippet(text string) string {
	runes := []rune(mask.OneLine(text))
	if len(runes) <= maxSnippet {
		return string(runes)
	}
	return string(runes[:maxSnippet]) + "…"
}

// decode distinguishes a truncated body, which a proxy can cause without breaking HTTP, from an invalid one.
func decode(body []byte, out any) error {
	decoder := json.NewDecoder(bytes.NewReader(body))
	err := decoder.Decode(out)
	switch {
	case err == nil && !utf8.Valid(body): // Invalid bytes would be replaced with other characters.
		return errors.New("the response is not UTF-8")
	case err == nil && len(bytes.TrimSpace(body[decoder.InputOffset():])) > 0: // Such as a late error.
		return errors.New("the response is not the expected JSON: something follows it")
	case err == nil:
		return nil
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errBrokenOff
	case errors.Is(err, io.EOF):
		return errors.New("the response is empty")
	default:
		return fmt.Errorf("the response is not the expected JSON: %w", err)
	}
}

var (
	errBrokenOff = errors.New("the response broke off")
	errTooLong   = fmt.Errorf("the response is longer than %d MiB", maxBody>>20)
)
