package framework

import "sync"

// Memo remembers answers for the life of the provider's process, which is one walk of Terraform: a plan or an apply. It
// is safe for concurrent use; callers with the same key wait for the first one's answer. The zero Memo is ready.
type Memo struct {
	mu      sync.Mutex
	entries map[string]any
}

type memoEntry[T any] struct {
	once  sync.Once
	value T
	err   error
}

// Remember returns the answer under key, asking for it if nobody has.
func Remember[T any](m *Memo, key string, ask func() (T, error)) (T, error) {
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
	return entry.value, entry.err
}
