package store

import "errors"

// Missing clears err if it is ErrNotFound, and says whether it was.
func Missing(err *error) bool {
	if !errors.Is(*err, ErrNotFound) {
		return false
	}
	*err = nil
	return true
}
