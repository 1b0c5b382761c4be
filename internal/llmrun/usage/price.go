package usage

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"reflect"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/decimal"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/timestamp"
)

// Price is an entry of the price map: the cost of some models' tokens, in US dollars per token.
type Price struct {
	// ID is recorded with the costs calculated from the entry; it may be empty.
	ID   string `json:"id"`
	Name string `json:"name"`
	// MatchPattern is a regular expression (RE2) that is searched for in the name of the model.
	MatchPattern string `json:"match_pattern"`
	// MatchPath are the invocation parameters that contain the name; the first match counts. If it is empty, the parameters
	// of defaultMatchPath count, but only for a run that names its model nowhere else.
	MatchPath []string `json:"match_path"`
	// Provider must be the run's, unless it is empty.
	Provider string `json:"provider"`
	// StartTime is when the price takes effect; nil means always.
	StartTime *time.Time `json:"-"`
	// PromptTokenThreshold limits the entry to calls with more input tokens; nil means any.
	PromptTokenThreshold *int64 `json:"prompt_token_threshold"`

	PromptCost            decimal.Decimal `json:"-"`
	CompletionCost        decimal.Decimal `json:"-"`
	PromptCostDetails     Costs           `json:"-"`
	CompletionCostDetails Costs           `json:"-"`
	// RequestCost is added for each call, on neither side.
	RequestCost decimal.Decimal `json:"request_cost"`
	// UnitCosts are those of what is billed by itself, such as web_searches.
	UnitCosts Costs `json:"-"`
	// Multipliers are by what modifiers, such as the tier batch, multiply the prices of tokens that have none of their own for them.
	Multipliers Costs `json:"-"`
	// Incomplete is why a calculated cost isn't what the provider bills; empty if it is.
	Incomplete string `json:"incomplete"`

	// Custom distinguishes an entry of the workspace from a built-in one of the service.
	Custom    bool      `json:"-"`
	CreatedAt time.Time `json:"-"`
}

// defaultMatchPath is the path of entries without one.
var defaultMatchPath = []string{"model", "model_name", "model_id", "model_path", "endpoint_name"}

// priceTime is a time in any form that the service accepts.
type priceTime struct{ time.Time }

func (t *priceTime) UnmarshalJSON(data []byte) (err error) {
	t.Time, err = timestamp.Read(data)
	return err
}

// pricesOf returns prices by kind of token; null means no price.
func pricesOf(details map[string]*decimal.Decimal) Costs {
	if details == nil {
		return nil
	}
	costs := Costs{}
	for kind, price := range details {
		if price != nil {
			costs[kind] = *price
		}
	}
	return costs
}

// UnmarshalJSON reads an entry as clients send it or the service returns it: the service returns entries of a workspace
// with a tenant_id, and built-in ones without.
func (p *Price) UnmarshalJSON(data []byte) error {
	type fields Price
	var simple fields
	var w struct {
		TenantID              *string                     `json:"tenant_id"`
		StartTime             *priceTime                  `json:"start_time"`
		PromptCost            *decimal.Decimal            `json:"prompt_cost"`
		CompletionCost        *decimal.Decimal            `json:"completion_cost"`
		PromptCostDetails     map[string]*decimal.Decimal `json:"prompt_cost_details"`
		CompletionCostDetails map[string]*decimal.Decimal `json:"completion_cost_details"`
		UnitCosts             map[string]*decimal.Decimal `json:"unit_costs"`
		Multipliers           map[string]*decimal.Decimal `json:"multipliers"`
		CreatedAt             *priceTime                  `json:"created_at"`
	}
	if err := cmp.Or(json.Unmarshal(data, &simple), json.Unmarshal(data, &w)); err != nil {
		return fmt.Errorf("reading a price: %w", inWords(err))
	}
	read := Price(simple)
	if w.PromptCost == nil || w.CompletionCost == nil {
		missing := "completion_cost"
		if w.PromptCost == nil {
			missing = "prompt_cost"
		}
		return fmt.Errorf("reading the price %s: %s is missing: set it to US dollars per token, such as 0.000002", read.label(), missing)
	}
	read.PromptCost, read.PromptCostDetails = *w.PromptCost, pricesOf(w.PromptCostDetails)
	read.CompletionCost, read.CompletionCostDetails = *w.CompletionCost, pricesOf(w.CompletionCostDetails)
	read.UnitCosts, read.Multipliers = pricesOf(w.UnitCosts), pricesOf(w.Multipliers)
	read.Custom, read.CreatedAt = w.TenantID != nil, orZero(w.CreatedAt).Time
	if w.StartTime != nil {
		read.StartTime = &w.StartTime.Time
	}
	*p = read
	return nil
}

// inWords describes the location of a value with the wrong type, and the expected type, in JSON terms.
func inWords(err error) error {
	wrong, ok := errors.AsType[*json.UnmarshalTypeError](err)
	if !ok {
		return err
	}
	names := map[reflect.Kind]string{
		reflect.String: "a string", reflect.Int64: "a whole number", reflect.Slice: "a list", reflect.Map: "an object", reflect.Struct: "an object",
	}
	what, _, _ := strings.Cut(wrong.Value, " ")
	return fmt.Errorf("%s has the type %s: write %s", cmp.Or(wrong.Field, "it"), what, names[wrong.Type.Kind()])
}

func (p *Price) label() string {
	var parts []string
	for _, part := range []string{p.Name, p.ID} {
		if part != "" {
			parts = append(parts, strconv.Quote(part))
		}
	}
	return cmp.Or(strings.Join(parts, " "), "without a name")
}

// check returns an error for everything that makes the entry unusable.
func (p *Price) check() error {
	var problems []error
	if p.MatchPattern == "" {
		problems = append(problems, errors.New(`match_pattern is empty, which would match every model: write ".*" if that is intended`))
	}
	if n := p.PromptTokenThreshold; n != nil && *n < 0 {
		problems = append(problems, fmt.Errorf("prompt_token_threshold is %d: set it to 0 or more, or omit it", *n))
	}
	negative := func(key string, cost decimal.Decimal) {
		if cost.Sign() < 0 {
			problems = append(problems, fmt.Errorf("%s is %s: a price can't be negative", key, cost))
		}
	}
	negative("prompt_cost", p.PromptCost)
	negative("completion_cost", p.CompletionCost)
	negative("request_cost", p.RequestCost)
	for i, details := range [...]Costs{p.PromptCostDetails, p.CompletionCostDetails, p.UnitCosts, p.Multipliers} {
		for _, key := range slices.Sorted(maps.Keys(details)) {
			negative([...]string{"prompt_cost_details", "completion_cost_details", "unit_costs", "multipliers"}[i]+"."+key, details[key])
		}
	}
	return errors.Join(problems...)
}

// Model is the model that a run has called, as far as it is known.
type Model struct {
	// Name is empty if the run names none; Source is then empty, too. Otherwise it is the location of the name, such as
	// metadata.ls_model_name.
	Name   string
	Source string
	// Provider has the name that ProviderName returns. It is empty if the run names none.
	Provider string
	// Params are the strings in the invocation parameters: prices may match a model by one of them.
	Params map[string]string
}

// PriceMap finds the price of a call.
type PriceMap struct {
	entries  []priceEntry
	matches  *matches
	defaults Defaults
}

// Defaults are prices that count where a price map has none. The provider and the start of the call may be unknown.
type Defaults interface {
	Find(provider, name string, start time.Time, inputTokens int64) *Price
}

type priceEntry struct {
	price    *Price
	provider string
	pattern  int // Its position in matches.
}

// NewPriceMap compiles prices. The error names every invalid entry, and the reason.
func NewPriceMap(prices []Price) (*PriceMap, error) {
	m := &PriceMap{entries: make([]priceEntry, len(prices)), matches: &matches{byName: map[string][]bool{}}}
	var problems []error
	compiled := map[string]int{}
	for i := range prices {
		p := prices[i]
		at, err := m.matches.compile(p.MatchPattern, compiled)
		if invalid, ok := errors.AsType[*syntax.Error](err); ok {
			// The service's own patterns may use lookaround. RE2 doesn't support that, but runs in linear time.
			err = fmt.Errorf("match_pattern is not a valid RE2 regular expression: %s; rewrite it, without lookahead or lookbehind", invalid.Code)
		}
		if err := errors.Join(err, p.check()); err != nil {
			problems = append(problems, fmt.Errorf("price %d, %s: %w", i, p.label(), err))
		}
		provider, _ := ProviderName(p.Provider)
		m.entries[i] = priceEntry{&p, provider, at}
	}
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	return m, nil
}

// WithDefaults returns the map with other defaults, nil for none.
func (m *PriceMap) WithDefaults(defaults Defaults) *PriceMap {
	return &PriceMap{m.entries, m.matches, defaults}
}

// Find returns the price of a model call, nil if there is none. The start of the run determines which prices are in effect;
// if it is zero, all of them are. The number of input tokens determines which prices with a threshold apply.
//
// Of several, a custom one precedes a built-in one, one for the provider precedes one for any, a higher threshold precedes a
// lower one or none, and a later one precedes an earlier one. Of the rest, the one created, or listed, last counts. Without
// any, the defaults count.
func (m *PriceMap) Find(model Model, start time.Time, inputTokens int64) *Price {
	if m == nil {
		return nil
	}
	var best *Price
	for p := range m.fitting(model, inputTokens) {
		isFuture := p.StartTime != nil && !start.IsZero() && p.StartTime.After(start)
		if !isFuture && (best == nil || best.compare(p) <= 0) {
			best = p
		}
	}
	name := model.nameAt(defaultMatchPath)
	if best == nil && m.defaults != nil && len(name) <= LongestMatch && len(model.Provider) <= LongestMatch {
		return m.defaults.Find(model.Provider, name, start, inputTokens)
	}
	return best
}

// DependsOnTime reports whether the price of a call depends on its start time.
func (m *PriceMap) DependsOnTime(model Model, inputTokens int64) bool {
	for p := range m.fitting(model, inputTokens) {
		if p.StartTime != nil {
			return true
		}
	}
	return false
}

// Known reports whether finding the price of a model takes no matching, because all of that has happened before.
func (m *PriceMap) Known(model Model) bool {
	last := ""
	return !slices.ContainsFunc(m.entries, func(e priceEntry) bool {
		name := model.nameAt(e.price.MatchPath)
		if name == last || !e.isFor(model) {
			return false // Nearly all entries match the same name.
		}
		last = name
		return canMatch(name) && m.matches.known(name) == nil
	})
}

// fitting returns the prices that apply to a call when they are in effect.
func (m *PriceMap) fitting(model Model, inputTokens int64) iter.Seq[*Price] {
	return func(yield func(*Price) bool) {
		last, matched := "", []bool(nil)
		for _, e := range m.entries {
			p, name := e.price, model.nameAt(e.price.MatchPath)
			if !e.isFor(model) || !canMatch(name) || p.PromptTokenThreshold != nil && inputTokens <= *p.PromptTokenThreshold {
				continue
			}
			if name != last { // Nearly all entries match the same name.
				last, matched = name, m.matches.of(name)
			}
			if matched[e.pattern] && !yield(p) {
				return
			}
		}
	}
}

func (e priceEntry) isFor(model Model) bool {
	return e.provider == "" || e.provider == model.Provider
}

// nameAt returns the value that the pattern of an entry with the path matches. An entry with its own path matches the parameters in
// it: it may be about something other than the name, such as the endpoint.
func (model Model) nameAt(path []string) string {
	if len(path) == 0 || slices.Equal(path, defaultMatchPath) {
		if model.Name != "" {
			return model.Name
		}
		path = defaultMatchPath
	}
	for _, key := range path {
		if name := model.Params[key]; name != "" {
			return name
		}
	}
	return model.Name
}

// compare is negative if the other price takes precedence.
func (p *Price) compare(q *Price) int {
	return cmp.Or(
		cmp.Compare(rank(p.Custom), rank(q.Custom)),
		cmp.Compare(rank(p.Provider != ""), rank(q.Provider != "")),
		// A call above a threshold never has the base price, however new that is.
		cmp.Compare(rank(p.PromptTokenThreshold != nil), rank(q.PromptTokenThreshold != nil)),
		cmp.Compare(orZero(p.PromptTokenThreshold), orZero(q.PromptTokenThreshold)),
		orZero(p.StartTime).Compare(orZero(q.StartTime)), // A price without a time has always been in effect.
		p.CreatedAt.Compare(q.CreatedAt),
	)
}

func rank(preferred bool) int {
	if preferred {
		return 1
	}
	return 0
}
