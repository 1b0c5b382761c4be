package rest

import "errors"

// largeBody is the size in bytes of bodies that take longer to decode than a transaction should.
const largeBody = 16 << 10

// ahead is what was computed from the body of a request before the transaction that uses it.
type ahead struct {
	compute func() (any, error)
	known   bool
	result  any
	err     error
}

// errAhead means that a transaction has to wait for the result.
var errAhead = errors.New("a result is computed before the transaction")

// Ahead returns what compute makes of the body of a request.
//
// All others wait for a transaction that writes. A large body is therefore computed after the transaction, which fails, and begins again
// with the result: a handler calls Ahead before it changes anything, and returns its error. It calls it once, as a second call would get the
// result of the first.
func Ahead[T any](c *Call, compute func() (T, error)) (result T, _ error) {
	if c.ahead == nil || len(c.Body) < largeBody {
		return compute()
	}
	if !c.ahead.known {
		c.ahead.compute = func() (any, error) { return compute() }
		return result, errAhead
	}
	return c.ahead.result.(T), c.ahead.err //nolint:forcetypeassert // Another type is that of a second call, which must fail.
}

// repeat runs a transaction, and again if it waits for the result.
func (a *ahead) repeat(transact func() error) error {
	err := transact()
	if errors.Is(err, errAhead) {
		a.result, a.err = a.compute()
		a.known = true
		err = transact()
	}
	return err
}
