package usage

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
)

// TestMatchesRemembered replaces the patterns behind a price map: what was found out about a name stays.
func TestMatchesRemembered(t *testing.T) {
	t.Parallel()
	m := priceMap(t, []Price{{Name: "a", MatchPattern: "^gpt"}, {Name: "b", MatchPattern: "^other"}, {Name: "c", MatchPattern: "^gpt", Provider: "openai"}})
	if n := len(m.matches.patterns); n != 2 {
		t.Errorf("%d patterns are compiled, want 2: two of the three are equal", n)
	}
	find := func(model Model) string {
		if p := m.Find(model, time.Time{}, 0); p != nil {
			return p.Name
		}
		return ""
	}
	if m.Known(Model{Name: "gpt-4o"}) {
		t.Error("the matches of a name that nobody asked for are known")
	}
	if got := find(Model{Name: "gpt-4o"}); got != "a" {
		t.Fatalf("price = %q, want a", got)
	}
	if !m.Known(Model{Name: "gpt-4o"}) || m.Known(Model{Name: "gpt-4o-mini"}) {
		t.Error("the matches of a name are unknown after its price was found, or those of another name are known")
	}
	m.matches.patterns[0], m.matches.patterns[1] = regexp.MustCompile("^never$"), regexp.MustCompile("^gpt")
	assert.Same(t, "price of a name that was matched before", "c", find(Model{Name: "gpt-4o", Provider: "openai"}))
	if got := find(Model{Name: "gpt-4o-mini"}); got != "b" {
		t.Errorf("price of another name = %q, want b: nothing is known of it", got)
	}
}

// TestMatchesBounded matches more names than are remembered, at the same time.
func TestMatchesBounded(t *testing.T) {
	t.Parallel()
	m := priceMap(t, []Price{{Name: "even", MatchPattern: "[02468]$"}, {Name: "odd", MatchPattern: "[13579]$"}})
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for i := range 2 * mostMatched {
				want := []string{"even", "odd"}[i%2]
				if p := m.Find(Model{Name: fmt.Sprint("model-", i)}, time.Time{}, 0); p == nil || p.Name != want {
					t.Errorf("price of model-%d = %v, want %s", i, p, want)
					return
				}
			}
		})
	}
	group.Wait()
	if n := len(m.matches.byName); n > mostMatched {
		t.Errorf("%d names are remembered, want at most %d", n, mostMatched)
	}
}

// TestLongNames expects no price for what is too long to be a name, wherever it is.
func TestLongNames(t *testing.T) {
	t.Parallel()
	own := priceMap(t, []Price{{Name: "any", MatchPattern: ".*"}, {Name: "endpoint", MatchPattern: ".*", MatchPath: []string{"endpoint_name"}, Provider: "p"}})
	longest, tooLong := strings.Repeat("m", LongestMatch), strings.Repeat("m", LongestMatch+1)
	defaults := &askedDefaults{}
	m := own.WithDefaults(defaults)
	if p := m.Find(Model{Name: longest}, time.Time{}, 0); p == nil || p.Name != "any" {
		t.Errorf("price of a name of %d bytes = %v, want any", len(longest), p)
	}
	for what, model := range map[string]Model{
		"name":      {Name: tooLong},
		"parameter": {Params: map[string]string{"model": tooLong}},
		"endpoint":  {Name: tooLong, Params: map[string]string{"endpoint_name": tooLong}, Provider: "p"},
	} {
		if p := m.Find(model, time.Time{}, 0); p != nil {
			t.Errorf("price for a %s of %d bytes = %q, want none", what, len(tooLong), p.Name)
		}
	}
	none := priceMap(t, nil)
	if p := none.WithDefaults(defaults).Find(Model{Name: longest, Provider: tooLong}, time.Time{}, 0); p != nil {
		t.Errorf("price for a provider of %d bytes = %q, want none", len(tooLong), p.Name)
	}
	if *defaults != (askedDefaults{}) {
		t.Errorf("the defaults were asked for a name of %d bytes", len(defaults.name))
	}
}
