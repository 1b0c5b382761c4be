package client

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// longPriceMap is a service with many prices, which are listed in pages.
type longPriceMap struct {
	mu      sync.Mutex
	entries []api.ModelPrice
}

func newLongPriceMap(size int) *longPriceMap {
	m := &longPriceMap{}
	for i := range size {
		m.add(fmt.Sprintf("old-%d", i))
	}
	return m
}

func (m *longPriceMap) add(name string) api.ModelPrice {
	added := entry(fmt.Sprintf("%08d-0000-4000-8000-000000000000", len(m.entries)), func(p *api.ModelPrice) { p.Name = name })
	m.entries = append(m.entries, added)
	return added
}

func (m *longPriceMap) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch r.Method {
	case http.MethodPost:
		var asked api.ModelPriceRequest
		_ = json.NewDecoder(r.Body).Decode(&asked)
		added := m.add(asked.Name)
		answerWith(http.StatusOK, added)(w, r)
	case http.MethodDelete:
		before := len(m.entries)
		m.entries = slices.DeleteFunc(m.entries, func(p api.ModelPrice) bool { return strings.HasSuffix(r.URL.Path, p.ID) })
		if len(m.entries) == before {
			answerWith(http.StatusNotFound, `{"detail": "Not here"}`)(w, r)
		}
	default:
		offset, _ := strconv.Atoi(r.URL.Query().Get("offset"))
		w.Header().Set("X-Pagination-Total", strconv.Itoa(len(m.entries)))
		answerWith(http.StatusOK, m.entries[min(offset, len(m.entries)):min(offset+pageSize, len(m.entries))])(w, r)
	}
}

// sent counts requests by method.
func sent(calls []string) map[string]int {
	counts := map[string]int{}
	for _, call := range calls {
		method, _, _ := strings.Cut(call, " ")
		counts[method]++
	}
	return counts
}

// TestWritesOfManyModelPrices expects creations that share a list from the tenth on, and deletions that need none.
func TestWritesOfManyModelPrices(t *testing.T) {
	t.Parallel()
	const many, pages = 40, 3
	c, s := serve(t, newLongPriceMap(250).ServeHTTP)
	var ids sync.Map
	var all sync.WaitGroup
	for i := range many {
		all.Go(func() {
			request := priced()
			request.Name = fmt.Sprintf("new-%d", i)
			created, err := c.CreateModelPrice(t.Context(), request)
			if err != nil {
				t.Error(err)
				return
			}
			ids.Store(created.ID, nil)
		})
	}
	all.Wait()
	if diff := cmp.Diff(map[string]int{http.MethodGet: sharedFrom * pages, http.MethodPost: many}, sent(s.calls())); diff != "" {
		t.Errorf("requests of %d creations (-want +got):\n%s", many, diff)
	}
	written := len(s.calls())
	for id := range ids.Range {
		if err := c.DeleteModelPrice(t.Context(), id.(string)); err != nil {
			t.Error(err)
		}
	}
	if diff := cmp.Diff(map[string]int{http.MethodDelete: 2 * many}, sent(s.calls()[written:])); diff != "" {
		t.Errorf("requests of %d deletions (-want +got):\n%s", many, diff)
	}
}
