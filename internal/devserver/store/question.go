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

// asked are the questions and figures of the statements that are running, by the number that replaces them among the arguments.
var (
	asked      sync.Map // Of askedQuestion, and of figures by the numbers of runs.
	lastAsked  atomic.Int64
	errUnasked = errors.New("the first argument isn't the number of a question or of figures")
)

type askedQuestion struct {
	ctx context.Context
	question
}

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
		var value any
		switch arg := arg.(type) {
		case question:
			value = askedQuestion{t.ctx, arg}
		case *subtreeFigures:
			if value, err = arg.compute(t); err != nil {
				end()
				return nil, nil, err
			}
		default:
			continue
		}
		number := lastAsked.Add(1)
		asked.Store(number, value)
		numbered[i], numbers = number, append(numbers, number)
	}
	return numbered, end, nil
}

// answerFunction is the SQL function that answers questions, and figureFunction the one that returns a figure of a run.
const answerFunction, figureFunction = "answer", "subtree_figure"

// registerAnswer registers the function. Its arguments aren't copied, because bodies are long.
var registerAnswer = sync.OnceValue(func() error {
	return engine.RegisterFunction(answerFunction, &engine.FunctionImpl{
		NArgs: -1, Deterministic: true, VolatileArgs: true,
		Scalar: func(_ *engine.FunctionContext, args []driver.Value) (driver.Value, error) {
			if len(args) == 0 {
				return nil, errUnasked
			}
			number, _ := args[0].(int64)
			found, is := asked.Load(number)
			if !is {
				return nil, errUnasked
			}
			q, _ := found.(askedQuestion)
			if err := q.ctx.Err(); err != nil {
				return nil, err
			}
			return q.answer(q.ctx, args[1:])
		},
	})
})

// registerFigure registers the function that returns a figure of a run, or null.
var registerFigure = sync.OnceValue(func() error {
	return engine.RegisterScalarFunction(figureFunction, 2, func(_ *engine.FunctionContext, args []driver.Value) (driver.Value, error) {
		found, _ := asked.Load(args[0])
		figures, is := found.(map[int64]float64)
		if !is {
			return nil, errUnasked
		}
		run, _ := args[1].(int64)
		if figure, has := figures[run]; has {
			return figure, nil
		}
		return nil, nil
	})
})
