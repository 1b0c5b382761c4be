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
	"strconv"
	"strings"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// Error is an answer that is not a success, or a success that is not what the service writes.
type Error struct {
	Method string
	// Path is the path of the operation, without the base URL.
	Path   string
	Status int
	// Detail is the service's message, or what is wrong with the answer. Empty when Validation has it all.
	Detail     string
	Validation []api.ValidationError
	// RequestID is the X-Request-Id of the answer.
	RequestID string
	// HTML says that a page came instead of JSON: the base URL leads to something else, or a proxy answered.
	HTML bool
	// Tracing says that the tracing API was asked, not the control plane.
	Tracing bool
	// SuggestedBaseURL is where the control plane may be, when the answer looks as if base_url led to something else. Empty when
	// it is where control planes usually are.
	SuggestedBaseURL string
	// OtherDialect is what the service seems to speak in place of the configured dialect. Nil when nothing says so.
	OtherDialect *api.Dialect
	// RetryAfter is what the service asked for, zero when it did not.
	RetryAfter time.Duration
	// Attempts is how often the request was sent.
	Attempts int

	// hasRetryAfter tells Retry-After: 0 from no Retry-After.
	hasRetryAfter bool
}

// detail says of a page what to check, and its title if it has one.
func (e *Error) detail() string {
	if !e.HTML {
		return e.Detail
	}
	setting := "base_url"
	if e.Tracing {
		setting = "tracing_url"
	}
	text := "an HTML page instead of JSON; check " + setting + " and any proxy"
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	return text
}

// Error is one line: operation, status, message, request id.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s: %s", e.Method, e.Path, strings.TrimSpace(strconv.Itoa(e.Status)+" "+http.StatusText(e.Status)))
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
		steps[i] = clean(step.Key)
		if step.Index != nil {
			steps[i] = strconv.FormatInt(*step.Index, 10)
		}
	}
	if len(steps) == 0 {
		return v.Msg
	}
	return strings.Join(steps, ".") + ": " + v.Msg
}

// TransportError is a request without a usable answer.
type TransportError struct {
	Method, Path string
	// NotSent says that no connection came about, so the service provably did not process the request.
	NotSent bool
	// Attempts is how often the request was tried.
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

// permanent says that waiting won't help: the two sides do not agree on certificates, on the protocol or on sizes.
func (e *TransportError) permanent() bool {
	_, distrusted := errors.AsType[*tls.CertificateVerificationError](e.Err)
	return distrusted || refusesCertificate(e.Err) || notTLS(e.Err) || errors.Is(e.Err, errTooLong)
}

// refusesCertificate says that the service ended the handshake because of the client's certificate, or for want of one. crypto/tls
// exports no type for the alert.
func refusesCertificate(err error) bool {
	var remote *net.OpError
	return errors.As(err, &remote) && remote.Op == "remote error" && strings.Contains(remote.Err.Error(), "certificate")
}

// notTLS says that https was spoken to something else. net/http has an error of its own for the case that it is HTTP.
func notTLS(err error) bool {
	_, garbled := errors.AsType[tls.RecordHeaderError](err)
	return garbled || errors.Is(err, http.ErrSchemeMismatch)
}

// OutcomeUnknownError is a write that may or may not have happened. Sending it again could do it twice.
type OutcomeUnknownError struct {
	Method, Path string
	// Name is the unique name of the object that was to be created: a deployment's name, a listener's compute_id, an
	// OAuth provider's provider_id; of a model price the name, which is part of what is unique. Empty for other writes.
	Name string
	// ID is the object that was to be changed, or the one found by the name that was to be created. Empty when none was
	// found.
	ID string
	// Reason says why the object with that ID could not be taken for the one that was to be created, or why none could
	// be looked for.
	Reason string
	// Err is what happened to the request.
	Err error

	// kind is what the object is; zero means a deployment.
	kind kind
}

// kind is a kind of object, for messages.
type kind struct {
	// indefinite is its name with its article.
	indefinite string
	// key is the field that is unique.
	key string
}

var (
	deploymentKind      = kind{"a deployment", "name"}
	listenerKind        = kind{"a listener", "compute_id"}
	oauthProviderKind   = kind{"an OAuth provider", "provider_id"}
	agentConnectionKind = kind{"a connection", "oauth_token_id"}
	modelPriceKind      = kind{"a model price", "name"}
)

func (e *OutcomeUnknownError) Error() string {
	about := cmp.Or(e.kind, deploymentKind)
	one, key := about.indefinite, about.key
	_, noun, _ := strings.Cut(one, " ")
	switch {
	case e.Name == "" && e.Method == http.MethodPost:
		return fmt.Sprintf("%v; whether %s %s got a new revision is unknown: check its newest revision before you repeat "+
			"this",
			e.Err, noun, e.ID)
	case e.Name == "":
		return fmt.Sprintf("%v; whether %s %s was changed is unknown: compare it with the configuration, "+
			"then apply again", e.Err, noun, e.ID)
	case e.ID == "":
		return fmt.Sprintf("%v; whether %s %q was created is unknown (%s): apply again in a minute, and if the %s is "+
			"then taken, import the %s that has it", e.Err, noun, e.Name, e.Reason, key, noun)
	default:
		return fmt.Sprintf("%v; %s %q exists with the ID %s, but this request may not have created it (%s): import it by "+
			"that ID if it is yours, or choose another %s", e.Err, one, e.Name, e.ID, e.Reason, key)
	}
}

func (e *OutcomeUnknownError) Unwrap() error { return e.Err }

// Lasting is e: whatever ended the wait for the outcome, it is unknown.
func (e *OutcomeUnknownError) Lasting() error { return e }

// attemptTimeoutError replaces the context error of one attempt, which must not pass for the end of the caller's
// context.
type attemptTimeoutError struct{ limit time.Duration }

func (e attemptTimeoutError) Error() string {
	return fmt.Sprintf("nothing within request_timeout (%s)", e.limit)
}

// interruptedError is the end of the caller's context.
type interruptedError struct {
	method, path string
	notSent      bool
	err          error // The context's.
	last         error // The failure that was about to be retried, if any.
}

func (e *interruptedError) Error() string {
	text := fmt.Sprintf("%s %s: %v", e.method, e.path, e.err)
	if e.last != nil {
		text += fmt.Sprintf(" while retrying after: %v", e.last)
	}
	return text
}

// Unwrap leaves out the last failure: a cancelled request is not one that failed with its status.
func (e *interruptedError) Unwrap() error { return e.err }

// earlierAttemptError is a request whose last attempt was provably not processed, after one that may have been.
type earlierAttemptError struct {
	method string
	err    error
}

func (e *earlierAttemptError) Error() string {
	return fmt.Sprintf("%v; an earlier attempt may have been processed", e.err)
}

func (e *earlierAttemptError) Unwrap() error { return e.err }

// Lasting is the failure that was about to be retried, which the end of the context doesn't undo.
func (e *interruptedError) Lasting() error { return e.last }

// StatusOf is the HTTP status that err carries, 0 when it carries none.
func StatusOf(err error) int {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Status
	}
	return 0
}

// noRoute is the detail of a 404 for a path that the service doesn't know, where base_url leads to another API or to
// another version. A missing object is named.
const noRoute = "Not Found"

// IsNotFound says that the service answered 404 for the object. An HTML page, or a path that is not known at all, says
// nothing about it.
func IsNotFound(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Status == http.StatusNotFound && !e.HTML && e.Detail != noRoute
}

// isForeign says that something else than the API answered. From 500 on, a page is what a load balancer shows while the
// service is down.
func (e *Error) isForeign() bool {
	return e.Status == http.StatusMethodNotAllowed || e.HTML && e.Status < http.StatusInternalServerError
}

// hasNoRoute says that the service doesn't know the operation, for this path or at all.
func hasNoRoute(err error) bool {
	status := StatusOf(err)
	return status == http.StatusMethodNotAllowed || status == http.StatusNotFound && !IsNotFound(err)
}

// IsTransient says that the same read is worth trying again later. The end of the caller's context is not, and neither
// is a write whose outcome is unknown.
func IsTransient(err error) bool {
	if errors.Is(err, context.Canceled) {
		return false
	}
	if _, unknown := errors.AsType[*OutcomeUnknownError](err); unknown {
		return false
	}
	return err != nil && classify(err).transient
}

// IsAmbiguous says that err leaves open whether a write has happened.
func IsAmbiguous(err error) bool {
	if _, unknown := errors.AsType[*OutcomeUnknownError](err); unknown {
		return true
	}
	if earlier, ok := errors.AsType[*earlierAttemptError](err); ok {
		return !isIdempotent(earlier.method)
	}
	return err != nil && !isIdempotent(methodOf(err)) && !classify(err).unprocessed
}

// IsForeign says that a page came instead of an answer: a proxy's, while the service behind it is down, or one of another
// site altogether.
func IsForeign(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.HTML
}

func methodOf(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Method
	}
	if e, ok := errors.AsType[*TransportError](err); ok {
		return e.Method
	}
	if e, ok := errors.AsType[*interruptedError](err); ok {
		return e.method
	}
	return ""
}
