package framework

import (
	"sync"
	"sync/atomic"
)

// Memo caches answers for the life of the provider's process, which is one walk of Terraform: a plan or an apply. It
// is safe for concurrent use; callers with the same key wait for the first one's answer. The zero Memo is ready to use.
type Memo struct {
	// Refreshed says that a resource was read, which happens only in plans, and Applying that one was created, changed or
	// destroyed. If neither has happened, the walk may be a plan without a refresh or the beginning of an apply.
	Refreshed, Applying atomic.Bool
	Going               Going

	mu      sync.Mutex
	entries map[string]any
}

type memoEntry[T any] struct {
	once  sync.Once
	value T
	err   error
}

// Remember returns the answer under key, and calls ask if there is none.
func Remember[T any](m *Memo, key string, ask func() (T, error)) (T, error) {
	entry := answered(m, key, ask)
	return entry.value, entry.err
}

// SharedMap returns the map under key, which is initially empty.
func SharedMap(m *Memo, key string) *sync.Map {
	shared, _ := Remember(m, key, func() (*sync.Map, error) { return &sync.Map{}, nil })
	return shared
}

// Count counts its calls with a key, with this one.
func Count(m *Memo, key string) int64 {
	calls, _ := Remember(m, key, func() (*atomic.Int64, error) { return new(atomic.Int64), nil })
	return calls.Add(1)
}

// Claim registers a key that a plan gives to one object of a kind. If another claimant has it, the result names that, and isn't granted.
func Claim(m *Memo, kind, key, claimant string) (first string, granted bool) {
	holder, taken := SharedMap(m, "claimed "+kind).LoadOrStore(key, claimant)
	first, _ = holder.(string)
	return first, !taken
}

// Amend replaces the answer under key with the result of change, and first calls ask if there is none. It is for what the running
// plan will change. If ask fails, nothing changes.
func Amend[T any](m *Memo, key string, ask func() (T, error), change func(T) T) {
	for {
		entry := answered(m, key, ask)
		if entry.err != nil {
			return
		}
		amended := &memoEntry[T]{value: change(entry.value)}
		amended.once.Do(func() {})
		if m.replace(key, entry, amended) {
			return
		}
	}
}

// Forget drops the answer under key, because the caller has changed what it describes.
func (m *Memo) Forget(key string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.entries, key)
}

// answered returns the entry under key with its answer.
func answered[T any](m *Memo, key string, ask func() (T, error)) *memoEntry[T] {
	m.mu.Lock()
	if m.entries == nil {
		m.entries = map[string]any{}
	}
	entry, ok := m.entries[key].(*memoEntry[T])
	if !ok {
		entry = &memoEntry[T]{}
		m.entries[key] = entry
	}
	m.mu.Unlock()
	entry.once.Do(func() { entry.value, entry.err = ask() })
	return entry
}

// replace reports whether the entry was still the old one.
func (m *Memo) replace(key string, before, after any) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.entries[key] != before {
		return false
	}
	m.entries[key] = after
	return true
}
