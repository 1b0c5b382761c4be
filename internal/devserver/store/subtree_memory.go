package store

import (
	"container/list"
	"database/sql/driver"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	engine "modernc.org/sqlite"
)

// subtreeMemory caches the figures of runs including all runs below, of the traces about which statements have asked.
type subtreeMemory struct {
	mu     sync.Mutex
	traces map[subtreeKey]*list.Element
	latest list.List // Of *subtreeFigures; the last used comes first.
	runs   int       // In all of them.
	// read is how many runs have been read so far, for tests: a trace is read once for a statement.
	read atomic.Int64
}

// subtreeKey is a question of a statement about a trace.
type subtreeKey struct {
	question int64
	trace    string
}

// subtreeFigures are the figures of the runs of a trace that have any.
type subtreeFigures struct {
	key   subtreeKey
	byRun map[int64]driver.Value
}

// maxSubtreeRuns limits the number of cached figures. The last used traces are kept regardless of their size: more than there are
// connections, so that no statement loses the one that it is reading.
const (
	maxSubtreeRuns = 1 << 18
	keptSubtrees   = 2 * maxReaders
)

var subtrees = &subtreeMemory{traces: map[subtreeKey]*list.Element{}}

// find returns the figures of a trace, or nil.
func (m *subtreeMemory) find(key subtreeKey) *subtreeFigures {
	m.mu.Lock()
	defer m.mu.Unlock()
	at := m.traces[key]
	if at == nil {
		return nil
	}
	m.latest.MoveToFront(at)
	found, _ := at.Value.(*subtreeFigures)
	return found
}

func (m *subtreeMemory) keep(f *subtreeFigures) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.traces[f.key] = m.latest.PushFront(f)
	m.runs += len(f.byRun)
	for m.runs > maxSubtreeRuns && m.latest.Len() > keptSubtrees {
		oldest, _ := m.latest.Remove(m.latest.Back()).(*subtreeFigures)
		delete(m.traces, oldest.key)
		m.runs -= len(oldest.byRun)
	}
}

// registerSubtrees registers with SQLite: gather_subtrees(question, trace, earliest, run, root, order, value), an aggregate over the
// runs of a trace in their order, which remembers their figures; known_subtrees(question, trace), which is null unless they are
// remembered; and subtree_figure(question, trace, run, known), which is that of a run.
var registerSubtrees = sync.OnceValue(func() error {
	return errors.Join(
		engine.RegisterFunction("gather_subtrees", &engine.FunctionImpl{
			NArgs:         7,
			MakeAggregate: func(engine.FunctionContext) (engine.AggregateFunction, error) { return &subtreeSum{}, nil },
		}),
		engine.RegisterScalarFunction("known_subtrees", 2, func(_ *engine.FunctionContext, args []driver.Value) (driver.Value, error) {
			key, err := subtreeKeyOf(args)
			if err != nil || subtrees.find(key) == nil {
				return nil, err
			}
			return int64(1), nil
		}),
		engine.RegisterScalarFunction("subtree_figure", 4, func(_ *engine.FunctionContext, args []driver.Value) (driver.Value, error) {
			key, err := subtreeKeyOf(args)
			if err != nil {
				return nil, err
			}
			run, _ := args[2].(int64)
			found := subtrees.find(key)
			if found == nil {
				return nil, errors.New("the figures of a trace are not remembered")
			}
			return found.byRun[run], nil
		}),
	)
})

func subtreeKeyOf(args []driver.Value) (subtreeKey, error) {
	question, isNumber := args[0].(int64)
	trace, isText := args[1].(string)
	if !isNumber || !isText {
		return subtreeKey{}, fmt.Errorf("a question about subtrees is a number and a text, not %T and %T", args[0], args[1])
	}
	return subtreeKey{question, trace}, nil
}

// subtreeSum adds up the runs of a trace. As they come in their order, those above a run are on a stack when it comes.
type subtreeSum struct {
	key      subtreeKey
	earliest bool
	byRun    map[int64]driver.Value
	stack    []subtreeNode
	all      subtreeNode
	roots    []int64
}

// subtreeNode is a run with the sum of what has come of its subtree.
type subtreeNode struct {
	run   int64
	order string
	sum   *big.Rat // Nil without values.
}

// Step adds a run.
func (s *subtreeSum) Step(_ *engine.FunctionContext, args []driver.Value) (err error) {
	if s.byRun == nil {
		s.byRun = map[int64]driver.Value{}
		if s.key, err = subtreeKeyOf(args); err != nil {
			return err
		}
		earliest, _ := args[2].(int64)
		s.earliest = earliest != 0
	}
	subtrees.read.Add(1)
	node := subtreeNode{}
	node.run, _ = args[3].(int64)
	node.order, _ = args[5].(string)
	if node.sum, err = ratOf(args[6]); err != nil {
		return err
	}
	s.combine(&s.all, node.sum)
	// A root contains its whole trace, even what doesn't begin with its order.
	if root, _ := args[4].(int64); root != 0 {
		s.roots = append(s.roots, node.run)
	}
	s.pop(node.order)
	s.stack = append(s.stack, node)
	return nil
}

// pop ends the runs that are not above the one with an order, and adds each to the run above it.
func (s *subtreeSum) pop(order string) {
	for last, node := range slices.Backward(s.stack) {
		if order != "" && strings.HasPrefix(order, node.order) && order[len(node.order):len(node.order)+1] == "." {
			return
		}
		s.stack = s.stack[:last]
		s.put(node.run, node.sum)
		if last > 0 {
			s.combine(&s.stack[last-1], node.sum)
		}
	}
}

// combine adds a value to a sum, which it may not share.
func (s *subtreeSum) combine(node *subtreeNode, value *big.Rat) {
	switch {
	case value == nil:
	case node.sum == nil:
		node.sum = new(big.Rat).Set(value)
	case !s.earliest:
		node.sum.Add(node.sum, value)
	case value.Cmp(node.sum) < 0:
		node.sum.Set(value)
	}
}

// put remembers the figure of a run as the nearest float; times are whole numbers.
func (s *subtreeSum) put(run int64, sum *big.Rat) {
	switch {
	case sum == nil:
	case s.earliest:
		s.byRun[run] = sum.Num().Int64()
	default:
		s.byRun[run], _ = sum.Float64()
	}
}

// ratOf returns the exact value of a number; nil for null. Sums of binary fractions would differ from the displayed sums: 0.1 plus 0.2
// would not equal 0.3.
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
		return nil, fmt.Errorf("a figure is a number, not %v", value)
	}
	return n, nil
}

// WindowInverse would remove a run again, for windows.
func (s *subtreeSum) WindowInverse(*engine.FunctionContext, []driver.Value) error {
	return errors.New("subtrees have no windows")
}

// WindowValue ends the sums and remembers them.
func (s *subtreeSum) WindowValue(*engine.FunctionContext) (driver.Value, error) {
	s.pop("")
	for _, root := range s.roots {
		s.put(root, s.all.sum)
	}
	subtrees.keep(&subtreeFigures{s.key, s.byRun})
	return int64(1), nil
}

// Final ends the aggregate.
func (s *subtreeSum) Final(*engine.FunctionContext) {}
