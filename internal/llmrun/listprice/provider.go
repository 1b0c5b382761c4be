package listprice

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"
)

// provider has models, of which the first that matches counts.
type provider struct {
	ID            string
	ProviderMatch *match `json:"provider_match"`
	ModelMatch    *match `json:"model_match"`
	// Fallback names the providers whose models this one also offers, at the same prices.
	Fallback []string
	Models   []*model

	fallback []*provider
	// equals has the first model of each exact name, and others the remaining conditions in the order of the models.
	equals map[string]int
	others []candidate
}

// candidate is a condition under which a model matches.
type candidate struct {
	model int
	match
}

// index prepares searches: of thousands of conditions, nearly all compare with a name.
func (p *provider) index(all []*provider) error {
	p.equals = map[string]int{}
	for i, m := range p.Models {
		for _, condition := range m.Match.alternatives() {
			if name, exact := condition.exact(); !exact {
				p.others = append(p.others, candidate{i, condition})
			} else if _, known := p.equals[name]; !known {
				p.equals[name] = i
			}
		}
		if err := m.prepare(p.ID); err != nil {
			return err
		}
	}
	for _, id := range p.Fallback {
		at := slices.IndexFunc(all, func(other *provider) bool { return other.ID == id })
		if at < 0 {
			return fmt.Errorf("there is no provider %s", id)
		}
		p.fallback = append(p.fallback, all[at])
	}
	return nil
}

// begins reports whether names of its models begin with a route.
func (p *provider) begins(route string) bool {
	for name := range p.equals {
		if route != "" && strings.HasPrefix(name, route) {
			return true
		}
	}
	return false
}

// dated matches a date within a name, which some providers write with dashes.
var dated = regexp.MustCompile(`-(20\d{2})(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(-|:|$)`)

// find returns the model of a name in lower case, nil if there is none.
func (p *provider) find(name string) *model {
	if p == nil {
		return nil
	}
	if m := p.first(name); m != nil {
		return m
	}
	date := dated.FindStringSubmatch(name)
	if date == nil {
		return nil
	}
	if _, err := time.Parse("20060102", strings.Join(date[1:4], "")); err != nil {
		return nil
	}
	return p.first(dated.ReplaceAllString(name, "-$1-$2-$3$4"))
}

func (p *provider) first(name string) *model {
	if m := p.own(name); m != nil {
		return m
	}
	for _, other := range p.fallback {
		if m := other.first(name); m != nil {
			return m
		}
	}
	return nil
}

// own returns the provider's own model of a name.
func (p *provider) own(name string) *model {
	best := math.MaxInt
	if at, known := p.equals[name]; known {
		best = at
	}
	for _, c := range p.others {
		if c.model >= best {
			break
		}
		if c.holds(name) {
			best = c.model
		}
	}
	if best < len(p.Models) {
		return p.Models[best]
	}
	return nil
}

// match is a condition for a name in lower case. One of its fields is set.
type match struct {
	Or, And    []match
	Not        *match
	Equals     string
	StartsWith string `json:"starts_with"`
	EndsWith   string `json:"ends_with"`
	Contains   string
	Regex      *regexp.Regexp
}

func (m match) holds(name string) bool {
	switch {
	case m.Or != nil:
		return slices.ContainsFunc(m.Or, func(each match) bool { return each.holds(name) })
	case m.And != nil:
		return !slices.ContainsFunc(m.And, func(each match) bool { return !each.holds(name) })
	case m.Not != nil:
		return !m.Not.holds(name)
	case m.StartsWith != "":
		return strings.HasPrefix(name, m.StartsWith)
	case m.EndsWith != "":
		return strings.HasSuffix(name, m.EndsWith)
	case m.Contains != "":
		return strings.Contains(name, m.Contains)
	case m.Regex != nil:
		return m.Regex.MatchString(name)
	default:
		return name == m.Equals
	}
}

// alternatives are conditions of which one has to hold.
func (m match) alternatives() []match {
	if m.Or == nil {
		return []match{m}
	}
	var all []match
	for _, each := range m.Or {
		all = append(all, each.alternatives()...)
	}
	return all
}

// exact returns the only name that matches, if there is only one.
func (m match) exact() (string, bool) { return m.Equals, m.Equals != "" }
