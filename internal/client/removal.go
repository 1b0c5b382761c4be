package client

import (
	"context"
	"errors"
	"fmt"
	"iter"
)

// errStays is a deletion that was accepted, perhaps by something before the service, and didn't happen.
var errStays = errors.New("the deletion was accepted, but the object still exists")

// remove deletes what is gone with the answer. No single answer proves that, and a deletion that is sent twice does no harm: it
// is sent until the list has no such object any more. The error of an object that wasn't there is returned even so.
func remove[T any](ctx context.Context, c *Client, deletion request, list iter.Seq2[T, error], isIt func(T) bool) error {
	var unsettled error
	for _, wait := range adoptPauses {
		if wait > 0 {
			if err := c.cfg.Sleep(ctx, wait); err != nil {
				return fmt.Errorf("%w while deleting again after: %v", err, unsettled) //nolint:errorlint // What ended it is the context.
			}
		}
		_, err := c.do(ctx, deletion)
		lost := err != nil && !classify(err).unprocessed
		if err != nil && !lost && !IsNotFound(err) {
			return err
		}
		listed, unread := contains(list, isIt)
		switch {
		case lost && (listed || unread != nil):
			return err
		case unread != nil:
			unsettled = stillUnknown(unread)
		case listed:
			unsettled = errStays
		default:
			if lost || unsettled != nil {
				err = nil // It, or an earlier one, has done it.
			}
			return err
		}
	}
	return unsettled
}

// contains says whether a list has an item.
func contains[T any](list iter.Seq2[T, error], isIt func(T) bool) (bool, error) {
	for item, err := range list {
		if err != nil || isIt(item) {
			return err == nil, err
		}
	}
	return false, nil
}

// stillUnknown is the error of a look at what may be gone. It must not pass for the answer that it is.
func stillUnknown(err error) error {
	return fmt.Errorf("whether it was deleted is unknown, because reading it failed: %v", err) //nolint:errorlint // See above.
}
