package listprice

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
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
}

// prepare computes prices, and finds the other providers.
func (p *provider) prepare(all []*provider) error {
	for _, m := range p.Models {
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
	return route != "" && slices.ContainsFunc(p.Models, func(m *model) bool { return m.Match.begins(route) })
}

// dated matches a date within a name, which some providers write with dashes.
var dated = regexp.MustCompile(`-(20\d{2})(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(-|:|$)`)

// find returns the model of a name in lower case, nil if there is none.
func (p *provider) find(name string) *model {
	if p == nil {
		return nil
	}
	if m := p.first(name); m != nil || !dated.MatchString(name) {
		return m
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
	if at := slices.IndexFunc(p.Models, func(m *model) bool { return m.Match.holds(name) }); at >= 0 {
		return p.Models[at]
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

// begins reports whether an exact name that matches begins with a route.
func (m match) begins(route string) bool {
	return strings.HasPrefix(m.Equals, route) || slices.ContainsFunc(m.Or, func(each match) bool { return each.begins(route) })
}

// Entries returns all prices as the service lists its own. They only describe the list: of several that match, it is the list that says
// which counts. Patterns may have lookahead, and prices for a time of day are left out.
func (b *Book) Entries() []usage.Price {
	b.listing.Do(func() {
		for _, p := range b.providers {
			for _, m := range p.Models {
				pattern := m.Match.text()
				for _, entry := range m.entries("") {
					entry.Provider, entry.MatchPattern = p.ID, "(?i)"+pattern
					b.entries = append(b.entries, entry)
				}
			}
		}
	})
	return b.entries
}

// text returns the condition as a regular expression that is searched for in a name.
func (m match) text() string {
	switch {
	case m.Or != nil:
		all := make([]string, len(m.Or))
		for i, each := range m.Or {
			all[i] = each.text()
		}
		return strings.Join(all, "|")
	case m.And != nil:
		var all strings.Builder
		all.WriteString("^")
		for _, each := range m.And {
			all.WriteString(each.ahead("?="))
		}
		return all.String()
	case m.Not != nil:
		return "^" + m.ahead("?=")
	case m.StartsWith != "":
		return "^" + regexp.QuoteMeta(m.StartsWith)
	case m.EndsWith != "":
		return regexp.QuoteMeta(m.EndsWith) + "$"
	case m.Contains != "":
		return regexp.QuoteMeta(m.Contains)
	case m.Regex != nil:
		return m.Regex.String()
	default:
		return "^" + regexp.QuoteMeta(m.Equals) + "$"
	}
}

// ahead returns the condition as a lookahead from the start of a name.
func (m match) ahead(how string) string {
	if m.Not != nil {
		return m.Not.ahead("?!")
	}
	text, anchored := strings.CutPrefix(m.text(), "^")
	if !anchored {
		text = ".*" + text
	}
	return "(" + how + text + ")"
}
