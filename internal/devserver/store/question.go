package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	engine "modernc.org/sqlite"
)

// question is a condition on a body or on another long text. It is an argument of a statement that calls answer(question, columns…).
//
// Questions are answered in Go, because SQLite's own functions can run for minutes on one value without checking whether they are
// interrupted. They are answered within the statement, not on its rows, because a condition can be part of any other: of a
// subquery on the root of a trace, or of a sum.
type question interface {
	// answer reports whether the condition holds for the columns. It takes linear time and checks ctx at least every millisecond or
	// so; only unpacking a body, of at most maxPacked bytes, can't be interrupted. The columns are valid only during the call.
	answer(ctx context.Context, columns []driver.Value) (bool, error)
}

// asked are the answers to the questions and the figures of the statements that are running, by the number that replaces them among the
// arguments.
var (
	asked      sync.Map // Of columnsAnswer.
	lastAsked  atomic.Int64
	errUnasked = errors.New("the first argument isn't the number of a question or of figures")
)

// columnsAnswer is what a statement gets for columns.
type columnsAnswer func(columns []driver.Value) (driver.Value, error)

// ask replaces the questions and figures among the arguments of a statement; call end after the statement.
func ask(t *Tx, args []any) (numbered []any, end func(), err error) {
	var numbers []int64
	end = func() {
		for _, number := range numbers {
			asked.Delete(number)
		}
	}
	numbered = slices.Clone(args)
	for i, arg := range args {
		var answer columnsAnswer
		switch arg := arg.(type) {
		case question:
			answer = func(columns []driver.Value) (driver.Value, error) {
				if err := t.ctx.Err(); err != nil {
					return nil, err
				}
				return arg.answer(t.ctx, columns)
			}
		case *subtreeFigures:
			figures, err := arg.compute(t)
			if err != nil {
				end()
				return nil, nil, err
			}
			answer = func(columns []driver.Value) (driver.Value, error) {
				run, _ := columns[0].(int64)
				if figure, has := figures[run]; has {
					return figure, nil
				}
				return nil, nil
			}
		default:
			continue
		}
		number := lastAsked.Add(1)
		asked.Store(number, answer)
		numbered[i], numbers = number, append(numbers, number)
	}
	return numbered, end, nil
}

// answerFunction is the SQL function that answers questions, and figureFunction the one that returns a figure of a run, or null.
const answerFunction, figureFunction = "answer", "subtree_figure"

// registerFunctions registers the functions. Their arguments aren't copied, because bodies are long.
var registerFunctions = sync.OnceValue(func() error {
	of := &engine.FunctionImpl{
		NArgs: -1, Deterministic: true, VolatileArgs: true,
		Scalar: func(_ *engine.FunctionContext, args []driver.Value) (driver.Value, error) {
			if len(args) == 0 {
				return nil, errUnasked
			}
			number, _ := args[0].(int64)
			found, _ := asked.Load(number)
			if answer, is := found.(columnsAnswer); is {
				return answer(args[1:])
			}
			return nil, errUnasked
		},
	}
	return errors.Join(engine.RegisterFunction(answerFunction, of), engine.RegisterFunction(figureFunction, of))
})
