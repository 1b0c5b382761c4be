package client

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// priced is the entry of the price map that all tests create.
func priced() api.ModelPriceRequest {
	return api.ModelPriceRequest{
		Name: "large", MatchPattern: "^large", MatchPath: []string{"model"}, Provider: new("example"),
		StartTime: new("2026-06-01T00:00:00Z"), PromptTokenThreshold: new(int64(200000)), PromptCost: "0.000002",
		CompletionCost: "3e-6", PromptCostDetails: map[string]api.DecimalNumber{"cache_read": "1e-6"},
	}
}

// priceMap is a service with a price map that loses the replies to creates. appear adds what a create makes.
type priceMap struct {
	mu      sync.Mutex
	entries []api.ModelPrice
	appear  func(*priceMap)
	lose    http.HandlerFunc
}

func (m *priceMap) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r.Method == http.MethodPost {
		m.appear(m)
		m.lose(w, r)
		return
	}
	answerWith(http.StatusOK, append([]api.ModelPrice{}, m.entries...))(w, r) // Never null.
}

func entry(id string, change func(*api.ModelPrice)) api.ModelPrice {
	p := api.ModelPrice{ID: id, TenantID: new("w"), ModelPriceRequest: priced()}
	if change != nil {
		change(&p)
	}
	return p
}

func TestLostModelPriceIsAdoptedOnlyWhenItAppeared(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		before  []api.ModelPrice
		appears func(*api.ModelPrice)
		id      string // The error's ID; empty if no entry is found.
		want    string // Part of the error; empty: adopted.
	}{
		"as asked for": {nil, nil, "", ""},
		"as asked for, in other words": {nil, func(p *api.ModelPrice) {
			p.StartTime, p.PromptCost, p.CompletionCost = new("2026-06-01T02:00:00.000000+02:00"), "2e-6", "0.000003"
			p.PromptCostDetails["cache_read"], p.CompletionCostDetails = "0.0000010", map[string]api.DecimalNumber{}
		}, "", ""},
		"beside another of that name": {[]api.ModelPrice{entry("x0", func(p *api.ModelPrice) { p.MatchPattern = "^larger" })}, nil, "", ""},
		"other prompt cost":           {nil, func(p *api.ModelPrice) { p.PromptCost = "0.000003" }, "x1", "it differs in prompt_cost"},
		"details nobody asked for":    {nil, func(p *api.ModelPrice) { p.CompletionCostDetails = map[string]api.DecimalNumber{"audio": "1"} }, "x1", "it differs in completion_cost_details"},
		"other pattern":               {nil, func(p *api.ModelPrice) { p.MatchPattern = "^larger" }, "", "nothing with that name exists yet"},
		"other path":                  {nil, func(p *api.ModelPrice) { p.MatchPath = []string{"model_name"} }, "", "nothing with that name"},
		"any provider":                {nil, func(p *api.ModelPrice) { p.Provider = nil }, "", "nothing with that name"},
		"other start":                 {nil, func(p *api.ModelPrice) { p.StartTime = new("2026-06-02T00:00:00Z") }, "", "nothing with that name"},
		"other threshold":             {nil, func(p *api.ModelPrice) { p.PromptTokenThreshold = new(int64(1)) }, "", "nothing with that name"},
		"the service's own":           {nil, func(p *api.ModelPrice) { p.TenantID = nil }, "", "nothing with that name"},
		"there before":                {[]api.ModelPrice{entry("x1", nil)}, nil, "x1", "it existed before this request"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, _ := serve(t, (&priceMap{entries: test.before, lose: hangUp, appear: func(m *priceMap) {
				m.entries = append(m.entries, entry("x1", test.appears))
			}}).ServeHTTP)
			got, err := c.CreateModelPrice(t.Context(), priced())
			if test.want == "" {
				if err != nil || got.ID != "x1" {
					t.Fatalf("created %+v, %v; want x1", got, err)
				}
				return
			}
			unknown, ok := errors.AsType[*OutcomeUnknownError](err)
			if !ok || unknown.ID != test.id || unknown.Name != "large" || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error = %v, want an OutcomeUnknownError with %q and %q", err, test.id, test.want)
			}
		})
	}
}

// TestUpdateModelPriceIsRepeated checks that a PUT is sent again: it is idempotent.
func TestUpdateModelPriceIsRepeated(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		handlers []http.HandlerFunc
		puts     int
		check    func(error) bool
	}{
		"taken":         {[]http.HandlerFunc{answerWith(200, entry("x1", nil))}, 1, func(err error) bool { return err == nil }},
		"lost":          {[]http.HandlerFunc{hangUp, answerWith(504, nil), answerWith(200, entry("x1", nil))}, 3, func(err error) bool { return err == nil }},
		"always lost":   {[]http.HandlerFunc{hangUp}, 8, isOutcomeUnknown},
		"no such entry": {[]http.HandlerFunc{answerWith(404, `{"detail":"gone"}`)}, 1, IsNotFound},
		"taken already": {[]http.HandlerFunc{answerWith(409, nil)}, 1, func(err error) bool { return StatusOf(err) == 409 }},
		"no entry":      {[]http.HandlerFunc{answerWith(200, `{}`)}, 2, isOutcomeUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			puts, answers, now := 0, script(test.handlers...), entry("x1", func(p *api.ModelPrice) { p.Name = "old" })
			c, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodGet {
					answerWith(200, []any{now})(w, r)
					return
				}
				puts++
				want := `{"name":"large","match_pattern":"^large","match_path":["model"],"provider":"example","start_time":"2026-06-01T00:00:00Z",` +
					`"prompt_token_threshold":200000,"prompt_cost":0.000002,"completion_cost":3e-6,"prompt_cost_details":{"cache_read":1e-6},` +
					`"completion_cost_details":null}`
				if body, _ := io.ReadAll(r.Body); r.URL.Path != "/api/v1/model-price-map/x1" || string(body) != want {
					t.Errorf("PUT %s %s, want %s", r.URL.Path, body, want)
				}
				if test.check(nil) && puts == test.puts {
					now = entry("x1", nil)
				}
				answers(w, r)
			})
			if _, err := c.UpdateModelPrice(t.Context(), "x1", priced()); !test.check(err) || puts != test.puts {
				t.Errorf("error = %v after %d PUTs, which isn't the expected result; want %d", err, puts, test.puts)
			}
		})
	}
}

func isOutcomeUnknown(err error) bool {
	unknown, ok := errors.AsType[*OutcomeUnknownError](err)
	return ok && unknown.ID == "x1" && strings.Contains(err.Error(), "whether model price x1 was changed is unknown")
}

// TestTracingPages reads lists of services that split them into pages, that don't, and that ignore the parameters.
func TestTracingPages(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		size    int // The length of the list.
		total   bool
		cap     int  // The largest page; 0: as requested.
		ignores bool // The service ignores the parameters.
		want    int
		err     string
		asked   []string // The offsets of the requests.
	}{
		"empty":                          {0, true, 0, false, 0, "", []string{"0"}},
		"empty, no total":                {0, false, 0, false, 0, "", []string{"0"}},
		"one page":                       {99, false, 0, false, 99, "", []string{"0"}},
		"a full page":                    {100, true, 0, false, 100, "", []string{"0"}},
		"a full page, no total":          {100, false, 0, false, 100, "", []string{"0", "99"}},
		"three pages":                    {250, true, 0, false, 250, "", []string{"0", "99", "198"}},
		"three pages, no total":          {250, false, 0, false, 250, "", []string{"0", "99", "198"}},
		"smaller pages":                  {120, true, 50, false, 120, "", []string{"0", "49", "98"}},
		"the whole list":                 {250, false, 0, true, 250, "", []string{"0"}},
		"the whole list, of a full page": {100, false, 0, true, 100, "", []string{"0", "99"}},
		"the whole list and its total":   {250, true, 0, true, 250, "", []string{"0"}},
		"no way to the rest":             {250, true, 100, true, 0, "ignores offset", []string{"0", "99", "100"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, s := serve(t, func(w http.ResponseWriter, r *http.Request) {
				var limit, offset int
				if _, err := fmt.Sscan(r.URL.Query().Get("limit")+" "+r.URL.Query().Get("offset"), &limit, &offset); err != nil {
					t.Error(err)
				}
				if test.ignores {
					limit, offset = test.size, 0
				}
				if test.cap > 0 {
					limit = min(limit, test.cap)
				}
				list := []api.ModelPrice{}
				for i := offset; i < min(offset+limit, test.size); i++ {
					list = append(list, entry(fmt.Sprint(i), nil))
				}
				var headers []string
				if test.total {
					headers = []string{"X-Pagination-Total", fmt.Sprint(test.size)}
				}
				answerWith(200, list, headers...)(w, r)
			})
			prices, err := Collect(c.ModelPrices().List(t.Context()))
			if len(prices) != test.want || (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
				t.Errorf("%d prices, %v; want %d and the error %q", len(prices), err, test.want, test.err)
			}
			var asked []string
			for _, r := range s.requests {
				asked = append(asked, r.Query.Get("offset"))
				if diff := cmp.Diff(url.Values{"limit": {"100"}, "offset": {r.Query.Get("offset")}}, r.Query); diff != "" {
					t.Errorf("query (-want +got):\n%s", diff)
				}
			}
			if diff := cmp.Diff(test.asked, asked); diff != "" {
				t.Errorf("offsets (-want +got):\n%s", diff)
			}
		})
	}
}
