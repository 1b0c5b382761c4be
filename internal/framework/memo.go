package framework

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/client"
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

// Forget drops the answer under key, because the caller has changed what it describes.
func (m *Memo) Forget(key string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.entries, key)
}

// readOneByOne is how many single reads a plan sends in sequence before it lists instead.
const readOneByOne = 10

// SharedList is the list of a workspace's objects of one kind, read during a plan and only as far as needed. A single read is sent
// by itself, because the workspace may have a thousand other objects. Concurrent reads, and long sequences of reads,
// share the pages of the list: a plan of a thousand objects needs tens of requests. It never reads more pages than
// there are reads, so the list never costs more than the reads would.
type SharedList[T any] struct {
	pages    *client.Pager[T]
	keys     func(T) []string
	inFlight atomic.Int64
	reads    atomic.Int64
	read     atomic.Int64 // Pages.
	// closed: this process has changed an object, or the list could not be read.
	closed atomic.Bool

	// wholeSince is when the last page was read; nil before that.
	wholeSince atomic.Pointer[time.Time]
	now        func() time.Time

	turn  chan struct{} // Held while the list is read or searched.
	found map[string][]T
}

// newSharedList returns a list whose objects are found by their keys.
func newSharedList[T any](pages *client.Pager[T], keys func(T) []string) *SharedList[T] {
	return &SharedList[T]{pages: pages, keys: keys, now: time.Now, turn: make(chan struct{}, 1), found: map[string][]T{}}
}

// Shared returns the list of that name of the client's workspace, for the running plan.
func Shared[T any](p *ProviderData, name string, c *client.Client, pages func() *client.Pager[T], keys func(T) []string) *SharedList[T] {
	l, _ := Remember(p.Memo, p.AnswersKey(name, c), func() (*SharedList[T], error) {
		l := newSharedList(pages(), keys)
		l.now = p.Now
		return l, nil
	})
	p.answersFrom(l.listed)
	return l
}

// Close ends the use of the list, because objects are about to change.
func (l *SharedList[T]) Close() { l.closed.Store(true) }

// listed returns when the whole list had been read; zero if it hasn't been, or is no longer used.
func (l *SharedList[T]) listed() time.Time {
	since := l.wholeSince.Load()
	if since == nil || l.closed.Load() {
		return time.Time{}
	}
	return *since
}

// One returns the object with a key. If the list doesn't have it, ask requests it: neither the list nor a single answer proves that it
// is gone. whole means that the list has been read to its end.
func (l *SharedList[T]) One(ctx context.Context, key string, ask func(whole bool) (*T, error)) (one *T, err error) {
	err = l.look(ctx, func() bool {
		listed := l.found[key]
		if len(listed) > 0 {
			one = &listed[0]
		}
		return one != nil
	}, func() error {
		one, err = ask(!l.listed().IsZero())
		return err
	})
	return one, err
}

// All returns the objects with a key, which takes the whole list, unless ask requests them.
func (l *SharedList[T]) All(ctx context.Context, key string, ask func() ([]T, error)) (all []T, err error) {
	err = l.look(ctx, func() bool {
		all = l.found[key]
		return l.pages.Done()
	}, func() error {
		all, err = ask()
		return err
	})
	return all, err
}

// look calls ask, which sends a separate request, unless found finds the result in the list.
func (l *SharedList[T]) look(ctx context.Context, found func() bool, ask func() error) error {
	defer l.inFlight.Add(-1)
	alone, reads := l.inFlight.Add(1) == 1, l.reads.Add(1)
	if alone && reads <= readOneByOne && l.read.Load() == 0 || !l.reach(ctx, found) {
		return ask()
	}
	return nil
}

// reach reads further pages until found returns true, and returns whether it did.
func (l *SharedList[T]) reach(ctx context.Context, found func() bool) bool {
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case <-ctx.Done():
		return false
	}
	for !l.closed.Load() {
		if found() {
			return true
		}
		if l.pages.Done() || l.read.Load() >= l.reads.Load() {
			return false
		}
		next, err := l.pages.Next(ctx)
		if err != nil {
			l.closed.Store(ctx.Err() == nil) // The single requests that follow return the better error.
			return false
		}
		l.read.Add(1)
		if l.pages.Done() {
			now := l.now()
			l.wholeSince.Store(&now)
		}
		for _, object := range next {
			for _, key := range l.keys(object) {
				l.found[key] = append(l.found[key], object)
			}
		}
	}
	return false
}
