package client

import (
	"context"
	"errors"
	"fmt"
	"iter"
)

// errStays means that a deletion was accepted, perhaps by a proxy in front of the service, and didn't happen.
var errStays = errors.New("the service accepted the deletion, but the object still exists: apply again in a minute")

// remove deletes an object that should be gone after the response. No single response proves that, and a repeated deletion does no
// harm, so it is sent until the list no longer contains the object. If the object didn't exist, that error is returned all the same.
func remove[T any](ctx context.Context, c *Client, deletion request, list iter.Seq2[T, error], isIt func(T) bool) error {
	return removeProved(ctx, c, deletion, request{}, list, isIt)
}

// removeProved is remove for objects of which another request, proof, says that they don't exist: a read or, where there is none,
// another deletion by the same ID. After an accepted deletion, that is enough, and the list isn't read, however long it is.
func removeProved[T any](ctx context.Context, c *Client, deletion, proof request, list iter.Seq2[T, error], isIt func(T) bool) error {
	var unsettled error
	accepted := false
	for _, wait := range doubtPauses {
		if wait > 0 {
			if err := c.cfg.Sleep(ctx, wait); err != nil {
				return DeletionEnded(fmt.Errorf("%w while deleting again after: %v", err, unsettled), accepted) //nolint:errorlint // The context ended it.
			}
		}
		_, err := c.do(ctx, deletion)
		accepted = accepted || err == nil
		lost := err != nil && !classify(err).unprocessed
		if err != nil && !lost && !IsNotFound(err) {
			return DeletionEnded(err, accepted)
		}
		if err == nil && proof.method != "" {
			if _, gone := c.do(ctx, proof); IsNotFound(gone) {
				return nil
			}
		}
		listed, unread := Find(list, isIt)
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

// DeletionEnded returns the error of a deletion. If it was interrupted, that says whether the service had accepted it.
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

// confirm reads an object that was not found from a list. A single wrong response must not make callers act on a missing object:
// it counts as not found only if the list agrees.
func confirm[T any](notFound error, list iter.Seq2[T, error], isIt func(T) bool) (*T, error) {
	listed, err := Find(list, isIt)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%v; %w", notFound, stillUnknown(err)) //nolint:errorlint // It must not count as not found.
	case listed == nil:
		return nil, notFound
	}
	return listed, nil
}

// stillUnknown returns the error of a failed check whether an object is gone. It must not look like the answer to that question.
func stillUnknown(err error) error {
	return fmt.Errorf("whether it was deleted is unknown, so plan again in a minute; reading it failed: %v", err) //nolint:errorlint // See above.
}
