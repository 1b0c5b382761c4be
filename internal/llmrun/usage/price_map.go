package usage

import (
	"cmp"
	"errors"
	"fmt"
	"regexp/syntax"
	"slices"
	"time"
)

// Model is the model that a run has called, as far as it is known.
type Model struct {
	// Name is empty if the run names none; Source is then empty, too. Otherwise it is the location of the name, such as
	// metadata.ls_model_name.
	Name   string
	Source string
	// Provider is empty if the run names none.
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
	price   *Price
	pattern int // Its position in matches.
}

// NewPriceMap compiles prices. The error names every invalid entry, and the reason.
func NewPriceMap(prices []Price) (*PriceMap, error) {
	m := &PriceMap{entries: make([]priceEntry, len(prices)), matches: &matches{byName: map[string]verdicts{}}}
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
		m.entries[i] = priceEntry{&p, at}
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
	names := matcher{matches: m.matches}
	for _, e := range m.entries {
		p := e.price
		if !e.fits(model, inputTokens, &names) || p.StartTime != nil && !start.IsZero() && p.StartTime.After(start) {
			continue
		}
		if best == nil || best.compare(p) <= 0 {
			best = p
		}
	}
	name := model.nameAt(defaultMatchPath)
	if best == nil && m.defaults != nil && len(name) <= LongestMatch && len(model.Provider) <= LongestMatch {
		return m.defaults.Find(model.Provider, name, start, inputTokens)
	}
	return best
}

// DependsOnTime says whether the price of a call depends on its start time.
func (m *PriceMap) DependsOnTime(model Model, inputTokens int64) bool {
	names := matcher{matches: m.matches}
	return slices.ContainsFunc(m.entries, func(e priceEntry) bool { return e.price.StartTime != nil && e.fits(model, inputTokens, &names) })
}

// Known says whether finding the price of a model takes no matching, because all of that has happened before.
func (m *PriceMap) Known(model Model) bool {
	names := matcher{matches: m.matches}
	return !slices.ContainsFunc(m.entries, func(e priceEntry) bool {
		return e.isFor(model) && !names.knows(e.pattern, model.nameAt(e.price.MatchPath))
	})
}

// fits says whether an entry applies to a call, if it is in effect.
func (e priceEntry) fits(model Model, inputTokens int64, names *matcher) bool {
	p := e.price
	return e.isFor(model) && names.match(e.pattern, model.nameAt(p.MatchPath)) &&
		(p.PromptTokenThreshold == nil || inputTokens > *p.PromptTokenThreshold)
}

// isFor says whether an entry is for the provider of a model.
func (e priceEntry) isFor(model Model) bool {
	return e.price.Provider == "" || e.price.Provider == model.Provider
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
