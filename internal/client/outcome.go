package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

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
	// absent means that a look-up found no object of that name in the end.
	absent bool
	// kind is the kind of the object; zero means a deployment.
	kind kind
}

func (e *OutcomeUnknownError) Error() string { return fmt.Sprintf("%v; %s", e.Err, e.outcome()) }

// outcome says what is unknown, and what to do about it.
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

// Lasting returns e: whatever ended the wait, the outcome is unknown.
func (e *OutcomeUnknownError) Lasting() error { return e }

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
	return err != nil && !isIdempotent(methodOf(err)) && !classify(err).unprocessed
}

// IsConflict reports whether the service refused a write, for example because another change is in progress.
func IsConflict(err error) bool { return StatusOf(err) == http.StatusConflict && !IsAmbiguous(err) }

// isRefusal reports whether the service itself refused a write: a 4xx with a JSON detail, as it writes them, that doesn't ask for a
// repetition. Any other refusal may come from something in front of the service, which may have processed the request all the same.
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
