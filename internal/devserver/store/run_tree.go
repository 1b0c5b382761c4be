package store

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"hash/maphash"
	"sync"
	"sync/atomic"

	engine "modernc.org/sqlite"
)

// inTrace requires a run of the row's trace to be in the workspace and to satisfy a condition on the row t. Rows satisfy others.
func (r runRow) inTrace(workspaceID string, others, c condition) condition {
	return r.on.inTrace(r.column("trace_id"), others, join([]condition{where(unindexed("t.workspace_id")+" = ? AND "+alive("t"), workspaceID), c}, "AND", true))
}

// treeQuestions numbers the questions about traces, so that their answers are kept apart.
var treeQuestions atomic.Int64

// traceMemory caches the latest answers to questions about traces. It has a fixed number of slots: an answer stays until
// another one needs its slot.
type traceMemory struct {
	seed   maphash.Seed
	mu     sync.Mutex
	places [4096]tracePlace
}

type tracePlace struct {
	question int64
	trace    string
	answer   driver.Value
}

func (m *traceMemory) place(question int64, trace string) *tracePlace {
	return &m.places[maphash.Comparable(m.seed, tracePlace{question: question, trace: trace})%uint64(len(m.places))]
}

// remembered returns the cached answer to a question about a trace; null if it is unknown.
func (m *traceMemory) remembered(question int64, trace string) driver.Value {
	m.mu.Lock()
	defer m.mu.Unlock()
	if p := m.place(question, trace); p.question == question && p.trace == trace {
		return p.answer
	}
	return nil
}

// remember caches the answer and returns it.
func (m *traceMemory) remember(question int64, trace string, answer driver.Value) driver.Value {
	m.mu.Lock()
	defer m.mu.Unlock()
	*m.place(question, trace) = tracePlace{question, trace, answer}
	return answer
}

// registerTraceMemory registers remembered(question, trace) and remember(question, trace, answer) with SQLite.
var registerTraceMemory = sync.OnceValue(func() error {
	m := &traceMemory{seed: maphash.MakeSeed()}
	register := func(name string, n int32, f func(question int64, trace string, rest []driver.Value) driver.Value) error {
		return engine.RegisterScalarFunction(name, n, func(_ *engine.FunctionContext, args []driver.Value) (driver.Value, error) {
			question, isNumber := args[0].(int64)
			trace, isText := args[1].(string)
			if !isNumber || !isText {
				return nil, fmt.Errorf("%s takes a number and a text", name)
			}
			return f(question, trace, args[2:]), nil
		})
	}
	return errors.Join(
		register("remembered", 2, func(question int64, trace string, _ []driver.Value) driver.Value {
			return m.remembered(question, trace)
		}),
		register("remember", 3, func(question int64, trace string, rest []driver.Value) driver.Value {
			return m.remember(question, trace, rest[0])
		}),
	)
})
