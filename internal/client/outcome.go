package client

import (
	"cmp"
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
