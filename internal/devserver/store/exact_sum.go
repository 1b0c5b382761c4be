package store

import (
	"database/sql/driver"
	"fmt"
	"math/big"
	"strconv"
	"sync"

	engine "modernc.org/sqlite"
)

// exactSum is the SQL function that adds up tokens and costs. They are decimals, and sums of binary fractions would differ
// from the displayed sums: 0.1 plus 0.2 would not equal 0.3.
const exactSum = "exact_sum"

// registerExactSum registers the function with SQLite.
var registerExactSum = sync.OnceValue(func() error {
	return engine.RegisterFunction(exactSum, &engine.FunctionImpl{
		NArgs: 1, Deterministic: true,
		MakeAggregate: func(engine.FunctionContext) (engine.AggregateFunction, error) { return &decimalSum{}, nil },
	})
})

// decimalSum is an intermediate sum; without numbers, it is null.
type decimalSum struct{ sum *big.Rat }

// Step adds a number.
func (d *decimalSum) Step(_ *engine.FunctionContext, args []driver.Value) error {
	n, err := ratOf(args[0])
	switch {
	case err != nil || n == nil:
		return err
	case d.sum == nil:
		d.sum = n
	default:
		d.sum.Add(d.sum, n)
	}
	return nil
}

// ratOf returns nil for null.
func ratOf(value driver.Value) (*big.Rat, error) {
	switch v := value.(type) {
	case nil:
		return nil, nil
	case int64:
		return new(big.Rat).SetInt64(v), nil
	case float64: // It was read from a decimal: use the shortest one that it represents.
		value = strconv.FormatFloat(v, 'g', -1, 64)
	}
	text, _ := value.(string)
	n, is := new(big.Rat).SetString(text)
	if !is {
		return nil, fmt.Errorf("%s takes numbers, not %v", exactSum, value)
	}
	return n, nil
}

// WindowInverse removes a number again, which only window functions would need.
func (d *decimalSum) WindowInverse(_ *engine.FunctionContext, args []driver.Value) error {
	n, err := ratOf(args[0])
	if n != nil {
		d.sum.Sub(d.sum, n)
	}
	return err
}

// WindowValue returns the sum as the nearest float.
func (d *decimalSum) WindowValue(*engine.FunctionContext) (driver.Value, error) {
	if d.sum == nil {
		return nil, nil
	}
	nearest, _ := d.sum.Float64()
	return nearest, nil
}

// Final ends the sum.
func (d *decimalSum) Final(*engine.FunctionContext) {}
