package client

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// longPriceMap is a service with many prices, which are listed in pages. Entries have a creation time if dated is set.
type longPriceMap struct {
	mu      sync.Mutex
	entries []api.ModelPrice
	// loses says that the reply to a create is lost.
	loses bool
	dated string
}

func newLongPriceMap(size int) *longPriceMap {
	m := &longPriceMap{}
	for i := range size {
		m.add(fmt.Sprintf("old-%d", i))
	}
	return m
}

func (m *longPriceMap) add(name string) api.ModelPrice {
	added := entry(fmt.Sprintf("%08d-0000-4000-8000-000000000000", len(m.entries)), func(p *api.ModelPrice) {
		p.Name = name
		if m.dated != "" {
			p.CreatedAt = &m.dated
		}
	})
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
		if m.loses {
			hangUp(w, r)
		}
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

// TestWritesOfManyModelPrices expects creations that share one list, and deletions that need none.
func TestWritesOfManyModelPrices(t *testing.T) {
	t.Parallel()
	const many = 40
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
	if diff := cmp.Diff(map[string]int{http.MethodGet: 3, http.MethodPost: many}, sent(s.calls())); diff != "" {
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

// TestEarlierModelPrices expects the list to be read again after a minute, after a failure and for another workspace.
func TestEarlierModelPrices(t *testing.T) {
	t.Parallel()
	var now atomic.Int64
	var refuses atomic.Bool
	prices := newLongPriceMap(1)
	c, s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if refuses.Load() {
			answerWith(http.StatusForbidden, nil)(w, r)
			return
		}
		prices.ServeHTTP(w, r)
	}, func(cfg *Config) { cfg.Now = func() time.Time { return time.Unix(now.Load(), 0) } })
	lists := 0
	for _, step := range []struct {
		name    string
		in      string
		after   int64
		refuses bool
		want    int
	}{
		{"refused", "", 0, true, 1},
		{"first", "", 0, false, 1},
		{"soon after", "", 60, false, 0},
		{"other workspace", "6b0ac2b8-0000-4000-8000-000000000000", 0, false, 1},
		{"later", "", 1, false, 1},
	} {
		now.Add(step.after)
		refuses.Store(step.refuses)
		request := priced()
		request.Name = step.name
		if _, err := c.InWorkspace(step.in).CreateModelPrice(t.Context(), request); (err != nil) != step.refuses {
			t.Errorf("%s: error = %v", step.name, err)
		}
		if read := sent(s.calls())[http.MethodGet] - lists; read != step.want {
			t.Errorf("%s: the list was read %d times, want %d", step.name, read, step.want)
		}
		lists = sent(s.calls())[http.MethodGet]
	}
}

// TestLostModelPriceOfAnother doesn't adopt an entry that another client created after the shared list was read, but before the request.
func TestLostModelPriceOfAnother(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		dated string
		want  string
	}{
		"created before":  {time.Now().Add(-time.Minute).UTC().Format(time.RFC3339), "before this request"},
		"created since":   {time.Now().Add(time.Minute).UTC().Format(time.RFC3339), ""},
		"without a time":  {"", ""},
		"with an odd one": {"long ago", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			prices := newLongPriceMap(1)
			c, _ := serve(t, prices.ServeHTTP)
			first := priced()
			first.Name = "first"
			if _, err := c.CreateModelPrice(t.Context(), first); err != nil {
				t.Fatal(err)
			}
			prices.loses, prices.dated = true, test.dated
			created, err := c.CreateModelPrice(t.Context(), priced())
			switch {
			case test.want == "" && (err != nil || created.Name != "large"):
				t.Errorf("created %v, %v; want it adopted", created, err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("error = %v, want %q", err, test.want)
			}
		})
	}
}
