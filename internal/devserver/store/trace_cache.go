package store

import (
	"container/list"
	"math"
	"sync"
)

// traceCache keeps what readers have computed from all runs of a trace, such as sums, as long as the trace doesn't change. Most
// transactions change other traces. With it, a page of a large trace stays within 80 ms when it is read again.
type traceCache struct {
	mu sync.Mutex
	// clock counts the changes so far, and the reads that began.
	clock int64
	// changed is when traces have changed last: never, for those that a transaction is changing now. Those that changed before the time
	// forgotten may be missing.
	changed   map[traceKey]int64
	forgotten int64

	values map[traceKey]*list.Element
	latest list.List // Of *cachedTrace; the last used comes first.
	bytes  int
}

// traceKey identifies a trace.
type traceKey struct{ workspaceID, traceID string }

// cachedTrace is what was computed from a trace in a state.
type cachedTrace struct {
	traceKey
	state string
	value any
	bytes int
}

const (
	// maxCachedBytes limits the size of what is kept.
	maxCachedBytes = 64 << 20
	// maxChangedTraces limits how many traces have the time of their change.
	maxChangedTraces = 4096
	// beingChanged is later than all reads.
	beingChanged = math.MaxInt64
)

func newTraceCache() *traceCache {
	return &traceCache{changed: map[traceKey]int64{}, values: map[traceKey]*list.Element{}}
}

// begin returns the time for a read whose snapshot is taken after it.
func (k *traceCache) begin() int64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.clock++
	return k.clock
}

// change forgets what is kept of the traces that a transaction changes, before it commits; call the result after that. A deletion may
// change all of them.
func (k *traceCache) change(t *Tx) (done func()) {
	traces := map[traceKey]struct{}{}
	for place := range t.marks.changed {
		traces[traceKey{place.workspaceID, place.traceID}] = struct{}{}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	all := t.deletes || len(k.changed)+len(traces) > maxChangedTraces
	k.note(traces, all, beingChanged)
	return func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.clock++
		k.note(traces, all, k.clock)
	}
}

// note notes the time of a change. One transaction writes at a time, so that no other change is in progress.
func (k *traceCache) note(traces map[traceKey]struct{}, all bool, at int64) {
	if all {
		clear(k.changed)
		k.forgotten = at
		for _, of := range k.values {
			k.drop(of)
		}
		return
	}
	for trace := range traces {
		k.changed[trace] = at
		if of := k.values[trace]; of != nil {
			k.drop(of)
		}
	}
}

func (k *traceCache) drop(of *list.Element) {
	trace, _ := k.latest.Remove(of).(*cachedTrace)
	delete(k.values, trace.traceKey)
	k.bytes -= trace.bytes
}

// unchanged reports whether a trace is now as a read sees it that began at a time.
func (k *traceCache) unchanged(trace traceKey, since int64) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.isUnchanged(trace, since)
}

func (k *traceCache) isUnchanged(trace traceKey, since int64) bool {
	at, known := k.changed[trace]
	if !known {
		at = k.forgotten
	}
	return at <= since
}

func (k *traceCache) find(trace traceKey) *cachedTrace {
	k.mu.Lock()
	defer k.mu.Unlock()
	of := k.values[trace]
	if of == nil {
		return nil
	}
	k.latest.MoveToFront(of)
	found, _ := of.Value.(*cachedTrace)
	return found
}

// keep keeps what a read has computed that began at a time.
func (k *traceCache) keep(trace *cachedTrace, since int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.isUnchanged(trace.traceKey, since) {
		return
	}
	if before := k.values[trace.traceKey]; before != nil {
		k.drop(before)
	}
	k.values[trace.traceKey] = k.latest.PushFront(trace)
	k.bytes += trace.bytes
	for k.bytes > maxCachedBytes {
		k.drop(k.latest.Back())
	}
}

// CachedTrace returns what Keep has kept of a trace, or nil. Many readers may use it at the same time.
func (t *Tx) CachedTrace(workspaceID, traceID string) (any, error) {
	trace := traceKey{workspaceID, traceID}
	if t.traces == nil {
		return nil, nil
	}
	found := t.traces.find(trace)
	if found == nil {
		return nil, nil
	}
	state, err := t.backend.stateOf(t, trace)
	if err != nil || state == "" || state != found.state {
		return nil, err
	}
	return found.value, nil
}

// CacheTrace keeps what was computed from all runs of a trace until the trace changes. It takes about so many bytes.
func (t *Tx) CacheTrace(workspaceID, traceID string, value any, bytes int) error {
	trace := traceKey{workspaceID, traceID}
	if t.traces == nil {
		return nil
	}
	state, err := t.backend.stateOf(t, trace)
	if err == nil {
		t.traces.keep(&cachedTrace{trace, state, value, bytes}, t.began)
	}
	return err
}
