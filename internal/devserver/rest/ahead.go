package rest

import (
	"errors"
	"reflect"
)

// largeBody is the size in bytes of bodies that take longer to decode than a transaction should.
const largeBody = 16 << 10

// ahead is what was computed from the body of a request before the transaction that uses it.
type ahead struct {
	results map[reflect.Type]any
	wanted  func()
}

// errAhead means that a transaction has to wait for a result.
var errAhead = errors.New("a result is computed before the transaction")

// Ahead returns what compute makes of the body of a request. There is one result of each type.
//
// All others wait for a transaction that writes. A large body is therefore computed after the transaction, which fails, and begins again
// with the result: a handler calls Ahead before it changes anything, and returns its error.
func Ahead[T any](c *Call, compute func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	if c.ahead == nil || len(c.Body) < largeBody {
		return compute()
	}
	of := reflect.TypeFor[T]()
	if known, is := c.ahead.results[of].(result); is {
		return known.value, known.err
	}
	c.ahead.wanted = func() {
		value, err := compute()
		c.ahead.results[of] = result{value, err}
	}
	var none T
	return none, errAhead
}

// repeat runs a transaction until it has all results.
func (a *ahead) repeat(transact func() error) error {
	a.results = map[reflect.Type]any{}
	for {
		err := transact()
		if !errors.Is(err, errAhead) {
			return err
		}
		a.wanted()
	}
}
