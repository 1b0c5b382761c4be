package client

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client/mask"
)

// response is one HTTP response, with the times when its request was sent and when it was received, by the local clock.
type response struct {
	request        request
	url            *url.URL // After redirects.
	status         int
	header         http.Header
	body           []byte
	sent, received time.Time
	// mask masks secrets in texts of the service.
	mask func(string) string
}

// isHTML also checks the first byte, in case the header is wrong: no JSON begins with "<".
func (a response) isHTML() bool {
	return strings.HasPrefix(strings.ToLower(a.header.Get("Content-Type")), "text/html") ||
		bytes.HasPrefix(bytes.TrimSpace(a.body), []byte("<"))
}

// failure returns the Error of a response.
func (a response) failure() *Error {
	e := a.failureWith("")
	e.HTML = a.isHTML()
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
func (a response) product() string {
	product, _, _ := strings.Cut(a.header.Get(serverHeader), "/")
	return product
}

// failureWith returns the Error of a successful response that is not usable.
func (a response) failureWith(detail string) *Error {
	return &Error{
		Method: a.request.method, Path: a.request.path, Tracing: a.request.tracing, Status: a.status, Detail: a.mask(detail),
		RequestID: a.requestID(),
	}
}

// requestID returns the service's request ID, which may contain parts of the request.
func (a response) requestID() string {
	return mask.Snippet(a.mask(mask.OneLine(a.header.Get("X-Request-Id"))))
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

// translated translates a body of r between the service's words and the neutral ones.
func (c *Client) translated(r request, body []byte) []byte {
	if r.tracing {
		return body // Traced content may contain any word.
	}
	return c.cfg.Dialect.Body(body)
}

// judge translates a response, and returns an error unless the request accepts it.
func (c *Client) judge(a *response) error {
	r := a.request
	a.body = c.translated(r, a.body)
	switch {
	case !isSuccess(a.status) || a.status != http.StatusNoContent && a.isHTML():
		return c.refused(*a)
	case r.accept == nil:
		return nil
	case !r.tracing && api.TooDeep(a.body):
		return a.failureWith(fmt.Sprintf("the response is nested more than %d levels deep", api.MaxDepth))
	}
	err := r.accept(a.body)
	if err != nil {
		err = r.accept(withIntegers(a.body))
	}
	switch {
	case err == nil:
		c.servers.LoadOrStore(server{r.tracing, a.product()}, true)
		return nil
	case errors.Is(err, errBrokenOff):
		return err
	default:
		return a.failureWith(err.Error())
	}
}

func isSuccess(status int) bool { return status >= 200 && status < 300 }

// refused returns the error of a response without success, with a likely explanation.
func (c *Client) refused(a response) error {
	e, tracing, product := a.failure(), a.request.tracing, a.product()
	known := c.products(tracing)
	if e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden {
		e.Server = mask.Snippet(a.mask(mask.OneLine(a.header.Get(serverHeader))))
		// A program that has never served the API, while others have, is something in front of it.
		isOther := product != "" && !slices.Contains(known, product) && slices.ContainsFunc(known, func(p string) bool { return p != "" })
		e.Intercepted = isOther || !isServiceError(a.body)
	}
	e.Misaddressed = (e.Intercepted || e.isForeign()) && len(known) == 0
	if !tracing {
		e.OtherDialect = e.otherDialect(c.cfg.Dialect)
		if e.Misaddressed {
			e.SuggestedBaseURL = c.suggestedBaseURL
		}
	}
	return e
}

// server is a program that serves an API; product is empty if responses name none. Several programs may serve one API.
type server struct {
	tracing bool
	product string
}

// products returns the programs that have served an API. If there is one, the URL of the API is right.
func (c *Client) products(tracing bool) (products []string) {
	for key := range c.servers.Range {
		if known, _ := key.(server); known.tracing == tracing {
			products = append(products, known.product)
		}
	}
	return products
}

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

// serverHeader is the header with the name of the program that wrote a response.
const serverHeader = "Server"

// isServiceError reports whether a body has the form of the service's errors. Gateways use others, such as {"message": "…"}.
func isServiceError(body []byte) bool {
	var e struct {
		Detail, Error json.RawMessage
	}
	return json.Unmarshal(body, &e) == nil && (e.Detail != nil || e.Error != nil)
}

// normalizeIDs gives UUIDs their usual spelling: another spelling would be taken for another object. An ID whose tag is `format:"uuid"`
// must be one, because it becomes part of paths and of states. An ID may be missing.
func normalizeIDs(object any) error {
	return normalizeIn(reflect.ValueOf(object))
}

func normalizeIn(v reflect.Value) error {
	for v.Kind() == reflect.Pointer {
		v = v.Elem() // Zero if it is nil.
	}
	if v.Kind() != reflect.Struct {
		return nil
	}
	for i := range v.NumField() {
		field, value := v.Type().Field(i), reflect.Indirect(v.Field(i))
		format := field.Tag.Get("format")
		if format == "" {
			if err := normalizeIn(value); err != nil {
				return err
			}
			continue
		}
		if !value.IsValid() || value.String() == "" {
			continue
		}
		switch id, err := uuid.Parse(value.String()); {
		case err == nil:
			value.SetString(id.String())
		case format == "uuid":
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			return fmt.Errorf("its %s is %q, which is not a UUID", name, mask.Snippet(value.String()))
		}
	}
	return nil
}

// checkID checks that a response is the requested object: caches and proxies may mix responses up.
func checkID(noun, requested, got string) error {
	switch {
	case got == "":
		return fmt.Errorf("the response is not a %s: it has no id", noun)
	case !SameID(requested, got):
		return fmt.Errorf("the response is about another %s: its id is %q, not %q", noun, got, requested)
	}
	return nil
}

// checkName is checkID for objects that users name. A response without the name is accepted, because some services return only an ID.
func checkName(of kind, requested, id, got string) error {
	switch {
	case id == "":
		return fmt.Errorf("the response is not a %s: it has no id", of.noun())
	case got != requested && got != "":
		return fmt.Errorf("the response is about another %s: its %s is %q, not %q", of.noun(), of.key, got, requested)
	}
	return nil
}

// SameID reports whether two IDs are the same UUID, in any spelling.
func SameID(a, b string) bool { return plainID(a) == plainID(b) }

// plainID returns the spelling in which equal UUIDs are equal.
func plainID(id string) string { return strings.ToLower(strings.ReplaceAll(id, "-", "")) }
