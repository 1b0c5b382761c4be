package price

import (
	"encoding/json"
	"slices"
	"sync"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/listprice"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// Maps caches the price maps of workspaces, which are compiled on first use.
type Maps struct {
	// Defaults returns the prices that apply where a workspace has none; nil for none.
	Defaults func() *listprice.Book

	mu          sync.Mutex
	byWorkspace map[string]compiled
}

// compiled is a price map, what it was compiled from, and the number of transactions that it reflects.
type compiled struct {
	rows     []store.ModelPrice
	prices   *usage.PriceMap
	snapshot int64
}

// DefaultBook returns the prices of models without an entry in the price map; nil if there are none.
func (m *Maps) DefaultBook() *listprice.Book {
	if m.Defaults == nil {
		return nil
	}
	return m.Defaults()
}

// Ready returns the price map of a workspace if it is cached, else nil. It is the same as long as none of its prices changes. priced is
// the number of the last transaction that has changed a price of any workspace.
func (m *Maps) Ready(priced int64, workspaceID string) *usage.PriceMap {
	m.mu.Lock()
	defer m.mu.Unlock()
	if ready := m.byWorkspace[workspaceID]; ready.snapshot >= priced {
		return ready.prices
	}
	return nil
}

// Of returns the price map of a workspace, and compiles it if it isn't ready: better not in a transaction.
func (m *Maps) Of(tx *store.Tx, workspaceID string) (*usage.PriceMap, error) {
	if ready := m.Ready(tx.Priced(), workspaceID); ready != nil {
		return ready, nil
	}
	rows, err := tx.ModelPrices(workspaceID)
	if err != nil {
		return nil, err
	}
	prices, err := m.compile(workspaceID, rows)
	if err != nil {
		return nil, err
	}
	return m.keep(tx.Priced(), workspaceID, compiled{rows, prices, tx.Snapshot()}), nil
}

// compile compiles a price map, unless only prices of other workspaces have changed since it was compiled.
func (m *Maps) compile(workspaceID string, rows []store.ModelPrice) (*usage.PriceMap, error) {
	m.mu.Lock()
	known := m.byWorkspace[workspaceID]
	m.mu.Unlock()
	if known.prices != nil && slices.Equal(known.rows, rows) {
		return known.prices, nil
	}
	entries := make([]usage.Price, len(rows))
	for i, row := range rows {
		if err := json.Unmarshal([]byte(row.Entry), &entries[i]); err != nil {
			return nil, err
		}
		entries[i].ID, entries[i].Custom, entries[i].CreatedAt = row.ID, true, row.CreatedAt
	}
	prices, err := usage.NewPriceMap(entries)
	if err != nil {
		return nil, err
	}
	if book := m.DefaultBook(); book != nil {
		prices = prices.WithDefaults(book)
	}
	return prices, nil
}

// keep caches a price map, unless a price has changed meanwhile or another caller was faster.
func (m *Maps) keep(priced int64, workspaceID string, latest compiled) *usage.PriceMap {
	m.mu.Lock()
	defer m.mu.Unlock()
	if latest.snapshot < priced {
		return latest.prices
	}
	if other := m.byWorkspace[workspaceID]; other.prices != nil && other.snapshot >= priced {
		return other.prices
	}
	if m.byWorkspace == nil {
		m.byWorkspace = map[string]compiled{}
	}
	m.byWorkspace[workspaceID] = latest
	return latest.prices
}
