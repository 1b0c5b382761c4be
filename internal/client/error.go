package client

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client/mask"
)

// Error is a response that is not a success, or a success with an invalid body.
type Error struct {
	Method string
	// Path is the path of the operation, without the base URL.
	Path   string
	Status int
	// Detail is the service's message, or the problem with the response. Empty if Validation has everything.
	Detail     string
	Validation []api.ValidationError
	// RequestID is the X-Request-Id of the response.
	RequestID string
	// HTML means that the response was an HTML page instead of JSON: the base URL is wrong, or a proxy answered.
	HTML bool
	// Misaddressed means that something other than the API answered, and that the API has never answered this client: its URL may be wrong.
	Misaddressed bool
	// Intercepted means that a 401 or 403 comes from something in front of the service, such as a gateway. Server is the
	// response's header of that name.
	Intercepted bool
	Server      string
	// Tracing means that the request went to the tracing API, not to the control plane.
	Tracing bool
	// SuggestedBaseURL is where the control plane may be, if the response suggests that base_url is wrong. Empty if base_url has the
	// usual form.
	SuggestedBaseURL string
	// OtherDialect is the dialect that the service seems to have instead of the configured one. Nil if nothing suggests that.
	OtherDialect *api.Dialect
	// RetryAfter is the delay that the service requested, zero if none.
	RetryAfter time.Duration
	// Attempts is the number of times that the request was sent.
	Attempts int
	// Doubt is a sentence about the effect that the refused request may have had; empty if it had none. FoundID is the ID of the
	// object that has the name of a refused create and may be its result; empty if there is none.
	Doubt, FoundID string

	// explained means that the body is JSON with a "detail", as the service itself writes it.
	explained bool
	// hasRetryAfter distinguishes Retry-After: 0 from no Retry-After.
	hasRetryAfter bool
}

// detail returns, for an HTML page, what to check, and the title of the page.
func (e *Error) detail() string {
	if !e.HTML {
		return e.Detail
	}
	text := "an HTML page instead of JSON; check "
	switch {
	case e.Misaddressed && e.Tracing:
		text += "tracing_url and "
	case e.Misaddressed:
		text += "base_url and "
	}
	text += "any proxy"
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	return text
}

// Error returns one line: operation, status, message, request ID.
func (e *Error) Error() string {
	var b strings.Builder
	if e.Method != "" { // Empty if the error is that of a list without the object.
		fmt.Fprintf(&b, "%s %s: ", e.Method, e.Path)
	}
	b.WriteString(strings.TrimSpace(strconv.Itoa(e.Status) + " " + http.StatusText(e.Status)))
	parts := make([]string, 0, 1+len(e.Validation))
	if detail := e.detail(); detail != "" {
		parts = append(parts, detail)
	}
	for _, v := range e.Validation {
		parts = append(parts, validationText(v))
	}
	if len(parts) > 0 {
		b.WriteString(": " + strings.Join(parts, "; "))
	}
	if e.Attempts > 1 {
		fmt.Fprintf(&b, " (after %d attempts)", e.Attempts)
	}
	if e.RequestID != "" {
		fmt.Fprintf(&b, " (request id %s)", e.RequestID)
	}
	return b.String()
}

func validationText(v api.ValidationError) string {
	steps := make([]string, len(v.Loc))
	for i, step := range v.Loc {
		steps[i] = mask.OneLine(step.Key)
		if step.Index != nil {
			steps[i] = strconv.FormatInt(*step.Index, 10)
		}
	}
	if len(steps) == 0 {
		return v.Msg
	}
	return strings.Join(steps, ".") + ": " + v.Msg
}

// TransportError is a request without a usable response.
type TransportError struct {
	Method, Path string
	// NotSent means that no connection was established, so the service provably did not process the request.
	NotSent bool
	// Attempts is the number of attempts.
	Attempts int
	Err      error
}

func (e *TransportError) Error() string {
	text := fmt.Sprintf("%s %s: no response: %v", e.Method, e.Path, e.Err)
	if e.Attempts > 1 {
		text += fmt.Sprintf(" (after %d attempts)", e.Attempts)
	}
	if _, unknown := errors.AsType[x509.UnknownAuthorityError](e.Err); unknown {
		text += "; set ca_certificate_file to the certificate of the authority that signed it"
	}
	if refusesCertificate(e.Err) {
		text += "; the service requires a client certificate that it trusts: set client_certificate_file and " +
			"client_key_file"
	}
	if notTLS(e.Err) {
		text += "; the port does not use TLS: check the scheme of base_url"
	}
	return text
}

func (e *TransportError) Unwrap() error { return e.Err }

// maskedError is an error whose text would show a secret.
type maskedError struct {
	text string
	err  error
}

func (e maskedError) Error() string { return e.text }

func (e maskedError) Unwrap() error { return e.err }

// permanent reports whether retrying can't help, because the two sides disagree on certificates, the protocol or sizes.
func (e *TransportError) permanent() bool {
	_, distrusted := errors.AsType[*tls.CertificateVerificationError](e.Err)
	return distrusted || refusesCertificate(e.Err) || notTLS(e.Err) || errors.Is(e.Err, errTooLong)
}

// refusesCertificate reports whether the service ended the handshake because of the client's certificate or its absence.
// crypto/tls exports no type for the alert.
func refusesCertificate(err error) bool {
	var remote *net.OpError
	return errors.As(err, &remote) && remote.Op == "remote error" && strings.Contains(remote.Err.Error(), "certificate")
}

// notTLS reports whether the other side of an https connection doesn't speak TLS. For plain HTTP, net/http has its own error.
func notTLS(err error) bool {
	_, garbled := errors.AsType[tls.RecordHeaderError](err)
	return garbled || errors.Is(err, http.ErrSchemeMismatch)
}

// attemptTimeoutError replaces the context error of one attempt, which must not be taken for the end of the caller's context.
type attemptTimeoutError struct{ limit time.Duration }

func (e attemptTimeoutError) Error() string {
	return fmt.Sprintf("nothing within request_timeout (%s)", e.limit)
}

// interruptedError is the end of the caller's context.
type interruptedError struct {
	method, path string
	notSent      bool
	err          error // Of the context.
	last         error // The failure that was about to be retried, if any.
}

func (e *interruptedError) Error() string {
	text := fmt.Sprintf("%s %s: %v", e.method, e.path, e.err)
	if errors.Is(e.err, context.Canceled) {
		text = fmt.Sprintf("%s %s: interrupted", e.method, e.path)
	}
	if e.last != nil {
		text += fmt.Sprintf(" while retrying after: %v", e.last)
	}
	return text
}

// Unwrap omits the last failure: a cancelled request is not a request that failed with its status.
func (e *interruptedError) Unwrap() error { return e.err }

// Lasting returns the failure that was about to be retried, which remains true after the end of the context.
func (e *interruptedError) Lasting() error { return e.last }

// earlierAttemptError is a request whose last attempt was provably not processed, but an earlier one may have been.
type earlierAttemptError struct {
	method string
	err    error
}

func (e *earlierAttemptError) Error() string {
	return fmt.Sprintf("%v; an earlier attempt may have been processed", e.err)
}

func (e *earlierAttemptError) Unwrap() error { return e.err }

// StatusOf returns the HTTP status in err, 0 if there is none.
func StatusOf(err error) int {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Status
	}
	return 0
}

// noRoute is the detail of a 404 for an unknown path, which means that base_url is that of another API or version. For a missing
// object, the detail names the object.
const noRoute = "Not Found"

// IsNotFound reports whether the service answered 404 for the object. An HTML page or a 404 for an unknown path doesn't count.
func IsNotFound(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Status == http.StatusNotFound && !e.HTML && e.Detail != noRoute
}

// notListed is the error of an object that isn't in the list. It counts as not found.
func notListed(id string) error {
	return &Error{Status: http.StatusNotFound, Detail: "the list doesn't have " + id}
}

// isForeign reports whether something other than the API answered. From status 500 on, an HTML page is what a load balancer shows
// while the service is down.
func (e *Error) isForeign() bool {
	return hasNoRoute(e) || e.HTML && e.Status < http.StatusInternalServerError
}

// hasNoRoute reports whether the service doesn't support the operation.
func hasNoRoute(err error) bool {
	status := StatusOf(err)
	return status == http.StatusMethodNotAllowed || status == http.StatusNotFound && !IsNotFound(err)
}

// IsForeign reports whether an HTML page was returned instead of a response: by a proxy while the service behind it is down, or by
// a different website.
func IsForeign(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.HTML
}

// otherDialect returns the dialect of the service if it seems to differ from d: a refusal of a source lists the service's names, and
// the path of integrations depends on the dialect. It returns nil if nothing suggests another dialect.
func (e *Error) otherDialect(d *api.Dialect) *api.Dialect {
	for _, other := range api.Dialects {
		switch {
		case other == d:
		case e.Status == http.StatusNotFound && e.Detail == noRoute && strings.HasPrefix(e.Path, d.Path("/v1/integrations/git_host/")):
			return other
		case slices.ContainsFunc(e.Validation, func(problem api.ValidationError) bool {
			last := len(problem.Loc) - 1
			return last >= 0 && problem.Loc[last].Key == "source" && quotes(problem.Msg, other) && !quotes(problem.Msg, d)
		}):
			return other
		}
	}
	return nil
}

// quotes reports whether a message contains d's name of a source.
func quotes(message string, d *api.Dialect) bool {
	return slices.ContainsFunc(d.SourceNames()[:len(api.Sources)], func(name string) bool {
		return strings.Contains(message, "'"+name+"'")
	})
}

// OutcomeUnknownError is a write that may or may not have happened. Sending it again could do it twice.
type OutcomeUnknownError struct {
	Method, Path string
	// Name is the unique name of the object to create: a deployment's name, a listener's compute_id, an OAuth provider's
	// provider_id, or the name of a model price, which is part of its unique key. Empty for other writes.
	Name string
	// ID is the ID of the object to change, or of the one found under the name to create. Empty if none was found.
	ID string
	// Reason explains why the object with that ID could not be identified as the created one, or why the search failed.
	Reason string
	// Err is the error of the request.
	Err error

	// existed means that the object with that ID existed before the request.
	existed bool
	// absent means that the last search found no object of that name.
	absent bool
	// kind is the kind of the object; zero means a deployment.
	kind kind
}

func (e *OutcomeUnknownError) Error() string { return fmt.Sprintf("%v; %s", e.Err, e.outcome()) }

// outcome describes what is unknown, and what to do about it.
func (e *OutcomeUnknownError) outcome() string {
	about := cmp.Or(e.kind, deploymentKind)
	one, noun, key := about.indefinite, about.noun(), about.key
	switch {
	case e.Name == "" && e.Method == http.MethodPost && about == deploymentKind:
		return fmt.Sprintf("whether %s %s got a new revision is unknown: check its newest revision before you repeat this", noun, e.ID)
	case e.Name == "":
		return fmt.Sprintf("whether %s %s was changed is unknown: the change may still appear, so plan again in a minute and "+
			"compare", noun, e.ID)
	case e.ID == "":
		return fmt.Sprintf("whether %s %q was created is unknown (%s): it may still appear under this %s, so apply again in a "+
			"minute, and if the %[4]s is then taken, import the %[1]s that has it", noun, e.Name, e.Reason, key)
	default:
		return fmt.Sprintf("%s %q exists with the ID %s, but this request may not have created it (%s)", one, e.Name, e.ID, e.Reason)
	}
}

// doubt is outcome as a sentence.
func (e *OutcomeUnknownError) doubt() string {
	text := e.outcome()
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

func (e *OutcomeUnknownError) Unwrap() error { return e.Err }

// Lasting returns e: the outcome remains unknown after the end of the context.
func (e *OutcomeUnknownError) Lasting() error { return e }
