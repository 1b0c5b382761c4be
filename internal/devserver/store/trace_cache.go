package store

import (
	"hash/crc32"
	"math"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
)

// traceCache keeps what readers have computed from all runs of a trace, such as sums, as long as the trace doesn't change. Most
// transactions change other traces. With it, a page of a large trace stays within 80 ms when it is read again.
type traceCache struct {
	// clock counts the changes so far.
	clock atomic.Int64
	// changed is when a trace has changed last, of those that share the time; deleted is when any may have. While a transaction changes one,
	// it is beingChanged.
	changed [changeTimes]atomic.Int64
	deleted atomic.Int64

	mu     sync.Mutex
	values []cachedTrace // The last used comes last.
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
	// changeTimes is how many times of changes are known. Traces that share one are computed again when the other changes, too.
	changeTimes = 4096
	// beingChanged is later than all reads.
	beingChanged = math.MaxInt64
)

// lastChange returns where the time of the last change of a trace is.
func (k *traceCache) lastChange(trace traceKey) *atomic.Int64 {
	return &k.changed[crc32.ChecksumIEEE([]byte(trace.workspaceID+trace.traceID))%changeTimes]
}

// change notes which traces a transaction changes, before it commits; call the result after that. A deletion may change all of them. One
// transaction writes at a time, so that no other change is in progress.
func (k *traceCache) change(t *Tx) (done func()) {
	var changed []*atomic.Int64
	if t.deletes {
		changed = append(changed, &k.deleted)
	}
	for place := range t.marks.changed {
		changed = append(changed, k.lastChange(traceKey{place.workspaceID, place.traceID}))
	}
	note := func(at int64) {
		for _, last := range changed {
			last.Store(at)
		}
	}
	note(beingChanged)
	return func() { note(k.clock.Add(1)) }
}

// stateSince returns the state of a trace if a read sees it that began at a time of the clock, before its snapshot was taken.
func (k *traceCache) stateSince(trace traceKey, began int64) string {
	if at := max(k.lastChange(trace).Load(), k.deleted.Load()); at <= began {
		return strconv.FormatInt(at, 10)
	}
	return ""
}

// find returns what is kept of a trace.
func (k *traceCache) find(trace traceKey) (kept cachedTrace) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if i := slices.IndexFunc(k.values, func(of cachedTrace) bool { return of.traceKey == trace }); i >= 0 {
		kept = k.values[i]
		k.values = append(slices.Delete(k.values, i, i+1), kept)
	}
	return kept
}

// keep keeps what was computed from a trace, and no more than there is room for.
func (k *traceCache) keep(trace cachedTrace) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.values = append(slices.DeleteFunc(k.values, func(of cachedTrace) bool { return of.traceKey == trace.traceKey }), trace)
	bytes := 0
	for i, of := range slices.Backward(k.values) {
		if bytes += of.bytes; bytes > maxCachedBytes {
			k.values = slices.Delete(k.values, 0, i+1)
			break
		}
	}
}

// CachedTrace returns what CacheTrace has kept of a trace, or nil. Many readers may use it at the same time.
func (t *Tx) CachedTrace(workspaceID, traceID string) (any, error) {
	trace := traceKey{workspaceID, traceID}
	if t.traces == nil {
		return nil, nil
	}
	found := t.traces.find(trace)
	if found.value == nil {
		return nil, nil
	}
	state, err := t.backend.stateOf(t, trace)
	if err != nil || state != found.state {
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
	if err != nil || state == "" {
		return err
	}
	t.traces.keep(cachedTrace{trace, state, value, bytes})
	return nil
}
