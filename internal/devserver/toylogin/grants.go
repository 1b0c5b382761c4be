package toylogin

import (
	"context"
	"sync"
)

// Kind is a kind of grants.
type Kind string

// The kinds: for a minute, and until they are exchanged for the next one.
const (
	Codes         Kind = "code"
	RefreshTokens Kind = "refresh token"
)

// MostGrants limits the number of grants of a kind that are kept.
const MostGrants = 1000

// Grants keep what users have allowed until a client asks for it, once.
type Grants interface {
	// Keep keeps a grant. Others of its kind may be dropped if there are more than MostGrants.
	Keep(ctx context.Context, kind Kind, key, grant string) error
	// Take removes a grant and returns it, if it is known.
	Take(ctx context.Context, kind Kind, key string) (grant string, known bool, err error)
}

// memory keeps grants as long as the process runs.
type memory struct {
	mu sync.Mutex
	of map[Kind]map[string]string
}

func (m *memory) Keep(_ context.Context, kind Kind, key, grant string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.of == nil {
		m.of = map[Kind]map[string]string{Codes: {}, RefreshTokens: {}}
	}
	in := m.of[kind]
	for other := range in {
		if len(in) < MostGrants {
			break
		}
		delete(in, other)
	}
	in[key] = grant
	return nil
}

func (m *memory) Take(_ context.Context, kind Kind, key string) (grant string, known bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	grant, known = m.of[kind][key]
	delete(m.of[kind], key)
	return grant, known, nil
}
