package listprice

import (
	"regexp"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

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
