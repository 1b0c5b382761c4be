package store

import (
	"context"
	"database/sql/driver"
	"fmt"
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

// asked are the questions of the statements that are running, by the number that replaces them among the arguments.
var (
	asked      sync.Map // Of askedQuestion.
	lastAsked  atomic.Int64
	errUnasked = fmt.Errorf("%s takes the number of a question", answerFunction)
)

type askedQuestion struct {
	ctx context.Context
	question
}

// ask replaces the questions among the arguments of a statement; call the result after the statement.
func ask(ctx context.Context, args []any) (numbered []any, end func()) {
	var numbers []int64
	for i, arg := range args {
		q, is := arg.(question)
		if !is {
			continue
		}
		if numbers == nil {
			args = slices.Clone(args)
		}
		number := lastAsked.Add(1)
		asked.Store(number, askedQuestion{ctx, q})
		args[i], numbers = number, append(numbers, number)
	}
	return args, func() {
		for _, number := range numbers {
			asked.Delete(number)
		}
	}
}

// answerFunction is the SQL function that answers questions.
const answerFunction = "answer"

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
