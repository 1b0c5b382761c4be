package usage

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
)

func TestPriceJSON(t *testing.T) {
	t.Parallel()
	threshold := int64(200_000)
	for name, tc := range map[string]struct {
		json string
		want Price
	}{
		"as it is sent": {
			`{"name":"gpt","match_pattern":"^gpt$","prompt_cost":2e-6,"completion_cost":"0.000003","request_cost":"0.012"}`,
			Price{Name: "gpt", MatchPattern: "^gpt$", PromptCost: dec(t, "0.000002"), CompletionCost: dec(t, "0.000003"), RequestCost: dec(t, "0.012")},
		},
		"as it is answered": {
			`{"id":"p1","tenant_id":"t1","name":"gpt","match_pattern":"^gpt$","prompt_cost":"0.000002","completion_cost":"0",
			  "prompt_cost_details":{"cache_read":1e-6,"audio":null},"completion_cost_details":null,"provider":"openai",
			  "start_time":"2026-01-01T00:00:00","match_path":["model"],"prompt_token_threshold":200000,"created_at":"2026-01-02T00:00:00Z","other":1}`,
			Price{
				ID: "p1", Custom: true, Name: "gpt", MatchPattern: "^gpt$", MatchPath: []string{"model"}, Provider: "openai",
				StartTime: new(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)), CreatedAt: time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC), PromptTokenThreshold: &threshold,
				PromptCost: dec(t, "0.000002"), PromptCostDetails: Costs{"cache_read": dec(t, "0.000001")},
			},
		},
		"nulls": {
			`{"tenant_id":null,"name":"gpt","match_pattern":"x","prompt_cost":0,"completion_cost":0,"provider":null,"start_time":null,"match_path":null,"prompt_token_threshold":null}`,
			Price{Name: "gpt", MatchPattern: "x"},
		},
	} {
		var got Price
		if err := json.Unmarshal([]byte(tc.json), &got); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		assert.Same(t, name, tc.want, got)
	}
}

func TestPriceJSONRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`[]`: "it has the type array: write an object",
		`{"name":"gpt","match_pattern":"x","completion_cost":0}`:                                     `the price "gpt": prompt_cost is missing`,
		`{"name":"gpt","match_pattern":"x","prompt_cost":0,"completion_cost":null}`:                  `completion_cost is missing`,
		`{"name":"gpt","match_pattern":"x","prompt_cost":"cheap","completion_cost":0}`:               `"cheap" is not a decimal number`,
		`{"name":"gpt","match_pattern":"x","prompt_cost":0,"completion_cost":0,"start_time":"soon"}`: `"soon" is not a time`,
		`{"match_pattern":"x","completion_cost":0}`:                                                  `the price without a name: prompt_cost`,
	} {
		var p Price
		if err := json.Unmarshal([]byte(text), &p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error = %v, want one about %q", text, err, want)
		}
	}
}

func TestNewPriceMapRefuses(t *testing.T) {
	t.Parallel()
	minus := dec(t, "-1")
	threshold := int64(-1)
	_, err := NewPriceMap([]Price{
		{Name: "fine", MatchPattern: "."},
		{Name: "looking", ID: "p7", MatchPattern: "^(?=gpt)"},
		{Name: "negative", MatchPattern: ".", PromptCost: minus, CompletionCost: minus, PromptCostDetails: Costs{"a": minus}, CompletionCostDetails: Costs{"b": minus}, RequestCost: minus},
		{Name: "empty"},
		{Name: "below", MatchPattern: ".", PromptTokenThreshold: &threshold},
	})
	if err == nil {
		t.Fatal("NewPriceMap: error = nil, want one")
	}
	for _, want := range []string{
		`price 1, "looking" "p7": match_pattern is not a valid RE2 regular expression: invalid or unsupported Perl syntax`, "without lookahead or lookbehind",
		`price 2, "negative": prompt_cost is -1`, "completion_cost is -1", "prompt_cost_details.a is -1", "completion_cost_details.b is -1", "request_cost is -1",
		`price 3, "empty": match_pattern is empty`, `price 4, "below": prompt_token_threshold is -1`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error doesn't contain %q:\n%s", want, err)
		}
	}
	if strings.Contains(err.Error(), "fine") {
		t.Errorf("a valid price is refused: %s", err)
	}
}

func priceMap(t *testing.T, prices []Price) *PriceMap {
	t.Helper()
	m, err := NewPriceMap(prices)
	assert.Must(t, err)
	return m
}

func TestFindPrice(t *testing.T) {
	t.Parallel()
	early, late := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	const low, high = 1000, 2000
	gpt := Model{Name: "gpt-4o", Provider: "openai", Params: map[string]string{"endpoint_name": "prod", "model_id": "id-1"}}
	unnamed := Model{Params: gpt.Params}
	price := func(name string, changes ...func(*Price)) Price {
		p := Price{Name: name, MatchPattern: "^gpt-4o$"}
		for _, change := range changes {
			change(&p)
		}
		return p
	}
	custom := func(p *Price) { p.Custom = true }
	matching := func(pattern string) func(*Price) { return func(p *Price) { p.MatchPattern = pattern } }
	of := func(provider string) func(*Price) { return func(p *Price) { p.Provider = provider } }
	from := func(start time.Time) func(*Price) { return func(p *Price) { p.StartTime = &start } }
	over := func(tokens int64) func(*Price) { return func(p *Price) { p.PromptTokenThreshold = &tokens } }
	created := func(at time.Time) func(*Price) { return func(p *Price) { p.CreatedAt = at } }
	for name, tc := range map[string]struct {
		prices []Price
		model  Model
		start  time.Time
		tokens int64
		want   string
	}{
		"no prices":                {nil, gpt, late, 0, ""},
		"a match":                  {[]Price{price("a")}, gpt, late, 0, "a"},
		"a search":                 {[]Price{price("a", matching("4o"))}, gpt, late, 0, "a"},
		"another model":            {[]Price{price("a")}, Model{Name: "gpt-4o-mini"}, late, 0, ""},
		"another case of letters":  {[]Price{price("a")}, Model{Name: "GPT-4o"}, late, 0, ""},
		"no name":                  {[]Price{price("a", matching(".*"))}, Model{}, late, 0, ""},
		"the provider":             {[]Price{price("a", of("openai"))}, gpt, late, 0, "a"},
		"another provider":         {[]Price{price("a", of("azure"))}, gpt, late, 0, ""},
		"the provider's API":       {[]Price{price("a", of("openai.responses"))}, gpt, late, 0, "a"},
		"a provider asked of none": {[]Price{price("a", of("openai"))}, Model{Name: "gpt-4o"}, late, 0, ""},
		"in effect":                {[]Price{price("a", from(late))}, gpt, late, 0, "a"},
		"not in effect":            {[]Price{price("a", from(late))}, gpt, late.Add(-1), 0, ""},
		"no start known":           {[]Price{price("a", from(late))}, gpt, time.Time{}, 0, "a"},
		"above the threshold":      {[]Price{price("a", over(low))}, gpt, late, 1001, "a"},
		"at the threshold":         {[]Price{price("a", over(low))}, gpt, late, 1000, ""},

		"custom before provider":       {[]Price{price("custom", custom), price("provider", of("openai"))}, gpt, late, 0, "custom"},
		"provider before start":        {[]Price{price("provider", of("openai")), price("later", from(late))}, gpt, late, 0, "provider"},
		"the later start":              {[]Price{price("late", from(late)), price("early", from(early)), price("always")}, gpt, late, 0, "late"},
		"the earlier one before":       {[]Price{price("late", from(late)), price("early", from(early)), price("always")}, gpt, early, 0, "early"},
		"threshold before start":       {[]Price{price("later", from(late)), price("long", over(low))}, gpt, late, 5000, "long"},
		"the later one of a threshold": {[]Price{price("later", from(late), over(low)), price("long", over(low))}, gpt, late, 5000, "later"},
		"the higher threshold":         {[]Price{price("high", over(high)), price("low", over(low)), price("any")}, gpt, late, 5000, "high"},
		"the lower one below":          {[]Price{price("high", over(high)), price("low", over(low)), price("any")}, gpt, late, 1500, "low"},
		"the newer one":                {[]Price{price("new", created(late)), price("old", created(early))}, gpt, late, 0, "new"},
		"the last one":                 {[]Price{price("first"), price("last")}, gpt, late, 0, "last"},

		"a path of its own":                            {[]Price{{Name: "a", MatchPattern: "^prod$", MatchPath: []string{"none", "endpoint_name"}}}, gpt, late, 0, "a"},
		"a path that isn't there":                      {[]Price{{Name: "a", MatchPattern: "^gpt-4o$", MatchPath: []string{"none"}}}, gpt, late, 0, "a"},
		"the default path has less to say than a name": {[]Price{{Name: "a", MatchPattern: "^id-1$", MatchPath: defaultMatchPath}}, gpt, late, 0, ""},
		"the default path, without a name":             {[]Price{{Name: "a", MatchPattern: "^id-1$"}}, unnamed, late, 0, "a"},
		"the first of the default path":                {[]Price{{Name: "a", MatchPattern: "^prod$", MatchPath: defaultMatchPath}}, unnamed, late, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := priceMap(t, tc.prices)
			got := ""
			if p := m.Find(tc.model, tc.start, tc.tokens); p != nil {
				got = p.Name
			}
			assert.Same(t, "price", tc.want, got)
		})
	}
	if p := (*PriceMap)(nil).Find(gpt, late, 0); p != nil {
		t.Errorf("a nil map has the price %q, want none", p.Name)
	}
}

// askedDefaults are defaults that have one price, and note what they were asked for.
type askedDefaults struct {
	provider, name string
	tokens         int64
}

func (a *askedDefaults) Find(provider, name string, _ time.Time, inputTokens int64) *Price {
	a.provider, a.name, a.tokens = provider, name, inputTokens
	return &Price{Name: "default"}
}

// TestDefaultPrices expects defaults where the map has no price, and only there.
func TestDefaultPrices(t *testing.T) {
	t.Parallel()
	own := priceMap(t, []Price{{Name: "own", MatchPattern: "^mine$"}})
	defaults := &askedDefaults{}
	m := own.WithDefaults(defaults)
	if p := m.Find(Model{Name: "mine"}, time.Time{}, 0); p.Name != "own" || *defaults != (askedDefaults{}) {
		t.Errorf("price = %q after the question %v to the defaults, want own and none", p.Name, *defaults)
	}
	if p := m.Find(Model{Name: "other", Provider: "openai"}, time.Time{}, 7); p == nil || p.Name != "default" || *defaults != (askedDefaults{"openai", "other", 7}) {
		t.Errorf("price = %v after the question %v to the defaults", p, *defaults)
	}
	m.Find(Model{Params: map[string]string{"model_id": "x"}}, time.Time{}, 0)
	if defaults.name != "x" {
		t.Errorf("the defaults were asked for %q, want the parameter x", defaults.name)
	}
	if p := own.Find(Model{Name: "other"}, time.Time{}, 0); p != nil {
		t.Errorf("without defaults, the price = %q, want none", p.Name)
	}
}
