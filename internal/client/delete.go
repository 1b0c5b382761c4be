package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
)

// errStays means that a deletion was accepted, perhaps only by a proxy in front of the service, but didn't happen.
var errStays = errors.New("the service accepted the deletion, but the object still exists: apply again in a minute")

// delete deletes an object that should be gone after the response. No single response proves that, and repeating a deletion is harmless, so
// it is sent until the list no longer contains the object. If the object didn't exist, that is an error, unless an earlier attempt of
// this call deleted it.
//
// proof is the method of a request that returns 404 for an object that doesn't exist. After an accepted deletion, that is enough, and the
// list isn't read, however long it is. If proof is empty, only the list counts.
func (o collection[T]) delete(ctx context.Context, id, proof string) error {
	var unsettled error
	accepted := false
	for _, wait := range doubtPauses {
		if err := o.client.sleep(ctx, wait); err != nil {
			return DeletionEnded(fmt.Errorf("%w while deleting again after: %v", err, unsettled), accepted) //nolint:errorlint // The context ended it.
		}
		_, err := o.client.do(ctx, o.request(http.MethodDelete, id))
		accepted = accepted || err == nil
		lost := err != nil && !classify(err).unprocessed
		if err != nil && !lost && !IsNotFound(err) {
			return DeletionEnded(err, accepted)
		}
		if err == nil && proof != "" {
			if _, gone := o.client.do(ctx, o.request(proof, id)); IsNotFound(gone) {
				return nil
			}
		}
		listed, unread := Find(o.list(ctx), o.hasID(id))
		switch {
		case lost && (listed != nil || unread != nil):
			return DeletionEnded(err, accepted)
		case unread != nil:
			unsettled = stillUnknown(unread)
		case listed != nil:
			unsettled = errStays
		default:
			if lost || unsettled != nil {
				err = nil // This or an earlier attempt deleted it.
			}
			return err
		}
	}
	return unsettled
}

// stillUnknown returns the error of a failed check for a missing object. It must not count as not found.
func stillUnknown(err error) error {
	return fmt.Errorf("whether it was deleted is unknown, so plan again in a minute; reading it failed: %v", err) //nolint:errorlint // See above.
}

// DeletionEnded returns the error of a deletion. If it was interrupted, the error says whether the service had accepted it.
func DeletionEnded(err error, accepted bool) error {
	if !errors.Is(err, context.Canceled) {
		return err
	}
	return &deletionInterruptedError{accepted, err}
}

type deletionInterruptedError struct {
	accepted bool
	err      error
}

func (e *deletionInterruptedError) Error() string {
	if e.accepted {
		return "Interrupted. The deletion was accepted and continues; run destroy again to confirm it."
	}
	return "Interrupted. The service hasn't confirmed the deletion; run destroy again."
}

func (e *deletionInterruptedError) Unwrap() error { return e.err }
