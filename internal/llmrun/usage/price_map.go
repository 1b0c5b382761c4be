package usage

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"time"
)

// Model is the model that a run has called, as far as the run says.
type Model struct {
	// Name is empty when the run names none; Source is then empty too, else where the name was found, such as
	// metadata.ls_model_name.
	Name   string
	Source string
	// Provider is empty when the run names none.
	Provider string
	// Params are the texts among the invocation parameters: prices may match a model by one of them.
	Params map[string]string
}

// PriceMap finds the price of a call.
type PriceMap struct {
	entries []priceEntry
}

type priceEntry struct {
	price   *Price
	pattern *regexp.Regexp
}

// NewPriceMap prepares prices. The error names every entry that can't be used, and why.
func NewPriceMap(prices []Price) (*PriceMap, error) {
	m := &PriceMap{entries: make([]priceEntry, len(prices))}
	var problems []error
	for i := range prices {
		p := prices[i]
		pattern, err := regexp.Compile(p.MatchPattern)
		if err != nil {
			// The service's own patterns may look around; RE2 can't, and takes linear time instead.
			err = fmt.Errorf("match_pattern is no regular expression of RE2: %s; rewrite it, without looking ahead or behind", patternError(err))
		}
		if err := errors.Join(err, p.check()); err != nil {
			problems = append(problems, fmt.Errorf("price %d, %s: %w", i, p.label(), err))
		}
		m.entries[i] = priceEntry{&p, pattern}
	}
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	return m, nil
}

// patternError says what is wrong with a pattern, without the pattern.
func patternError(err error) string {
	if syntax, ok := errors.AsType[*syntax.Error](err); ok {
		return string(syntax.Code)
	}
	return "it can't be compiled"
}

// Find is the price of a call of a model, nil when there is none. The start of the run decides which prices are in
// effect, all of them when it is zero; the input tokens decide which apply that have a threshold.
//
// Of several, a custom one goes before one of the service, one for the provider before one for any, a later one before
// an earlier one, a higher threshold before a lower one, and then the one that was created, or stands, last.
func (m *PriceMap) Find(model Model, start time.Time, inputTokens int64) *Price {
	if m == nil {
		return nil
	}
	var best *Price
	for _, e := range m.entries {
		p := e.price
		if !e.fits(model, inputTokens) || p.StartTime != nil && !start.IsZero() && p.StartTime.After(start) {
			continue
		}
		if best == nil || best.compare(p) <= 0 {
			best = p
		}
	}
	return best
}

// DependsOnTime says whether the price of a call depends on when it began.
func (m *PriceMap) DependsOnTime(model Model, inputTokens int64) bool {
	return slices.ContainsFunc(m.entries, func(e priceEntry) bool { return e.price.StartTime != nil && e.fits(model, inputTokens) })
}

// fits says whether an entry is for a call, if it is in effect.
func (e priceEntry) fits(model Model, inputTokens int64) bool {
	p := e.price
	if p.Provider != "" && p.Provider != model.Provider || p.PromptTokenThreshold != nil && inputTokens <= *p.PromptTokenThreshold {
		return false
	}
	name := p.nameOf(model)
	return name != "" && e.pattern.MatchString(name)
}

// nameOf is the name by which an entry knows a model. An entry with a path of its own asks for the parameters in it: it
// is about something else than the name, such as the endpoint.
func (p *Price) nameOf(model Model) string {
	path := p.MatchPath
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

// compare is negative when p is to give way to q.
func (p *Price) compare(q *Price) int {
	return cmp.Or(
		cmp.Compare(rank(p.Custom), rank(q.Custom)),
		cmp.Compare(rank(p.Provider != ""), rank(q.Provider != "")),
		orTime(p.StartTime).Compare(orTime(q.StartTime)),
		cmp.Compare(orNone(p.PromptTokenThreshold), orNone(q.PromptTokenThreshold)),
		p.CreatedAt.Compare(q.CreatedAt),
	)
}

func rank(preferred bool) int {
	if preferred {
		return 1
	}
	return 0
}

// orTime is the zero time for a price that has always been in effect.
func orTime(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return *t
}

// orNone is less than every threshold for a price that has none.
func orNone(n *int64) int64 {
	if n == nil {
		return -1
	}
	return *n
}
