package price

import (
	"encoding/json"
	"sync"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/listprice"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// Reader reads stored prices.
type Reader interface {
	ModelPrices(workspaceID string) ([]store.ModelPrice, error)
}

// Maps caches the price maps of workspaces, which are compiled on first use.
type Maps struct {
	// Defaults returns the prices that apply where a workspace has none; nil for none.
	Defaults func() *listprice.Book

	mu          sync.Mutex
	byWorkspace map[string]*usage.PriceMap
}

// Of returns the price map of a workspace. Write transactions run one at a time, so nobody changes it meanwhile.
func (m *Maps) Of(r Reader, workspaceID string) (*usage.PriceMap, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if ready, known := m.byWorkspace[workspaceID]; known {
		return ready, nil
	}
	rows, err := r.ModelPrices(workspaceID)
	if err != nil {
		return nil, err
	}
	entries := make([]usage.Price, len(rows))
	for i, row := range rows {
		if err := json.Unmarshal([]byte(row.Entry), &entries[i]); err != nil {
			return nil, err
		}
		entries[i].ID, entries[i].Custom, entries[i].CreatedAt = row.ID, true, row.CreatedAt
	}
	ready, err := usage.NewPriceMap(entries)
	if err != nil {
		return nil, err
	}
	if m.Defaults != nil {
		ready = ready.WithDefaults(m.Defaults())
	}
	if m.byWorkspace == nil {
		m.byWorkspace = map[string]*usage.PriceMap{}
	}
	m.byWorkspace[workspaceID] = ready
	return ready, nil
}

// forget invalidates the cache after a change.
func (m *Maps) forget(workspaceID string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.byWorkspace, workspaceID)
}
