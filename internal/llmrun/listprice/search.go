package listprice

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/texttable"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// found is the model of a call, nil if there is none, and why its price isn't that of the call.
type found struct {
	*model
	note string
}

// marked returns a price with the note.
func (f found) marked(p *usage.Price) *usage.Price {
	if p == nil || f.note == "" {
		return p
	}
	marked := *p
	marked.Incomplete = f.note
	return &marked
}

// beginning is a row of names.txt.
type beginning struct {
	*regexp.Regexp
	provider, name, note string
}

//go:embed names.txt
var namesText string

var beginnings = func() (all []beginning) {
	for words := range texttable.Rows(namesText) {
		all = append(all, beginning{regexp.MustCompile(words[0]), words[1], words[2], strings.Join(words[3:], " ")})
	}
	return all
}()

// routers pass calls on to the provider that the name of a model begins with.
var routers = []string{"litellm", "gateway", "openrouter"}

// search finds the model of a call, whose strings are in lower case. A provider that isn't in the list has no list prices, whatever its
// models are called: what runs locally costs nothing that is listed. Without a provider, the name says whose model it is, or it is that of
// the only provider that lists it.
func (b *Book) search(provider, name string) (f found) {
	provider, _ = usage.ProviderName(provider)
	p, router := b.provider(provider), slices.Contains(routers, provider)
	if provider != "" && p == nil && !router {
		return found{}
	}
	for _, row := range beginnings {
		if at := row.FindStringSubmatchIndex(name); at != nil && row.provider == "-" && row.name == "$0" {
			f.note = string(row.ExpandString(nil, row.note, name, at))
		}
	}
	for rest := name; ; {
		if f.model = b.listed(p, rest); f.model != nil {
			return f
		}
		of, next, note := b.cut(p, rest)
		switch {
		case next == "" && provider == "" && rest == name:
			return found{model: b.only(name)}
		case next == "" || of != p && p != nil && !router && note == "" && p.begins(strings.TrimSuffix(rest, next)):
			return found{} // Nobody is known by this name, or it is one of the provider's own.
		case f.note == "":
			f.note = note
		}
		p, rest = of, next
	}
}

// cut returns what is searched for after a miss.
func (b *Book) cut(p *provider, name string) (of *provider, rest, note string) {
	for i, row := range beginnings {
		at := row.FindStringSubmatchIndex(name)
		if at == nil {
			continue
		}
		expand := func(template string) string { return string(row.ExpandString(nil, template, name, at)) }
		of, rest, note = p, expand(row.name), expand(row.note)
		if id, ifNone := strings.CutPrefix(row.provider, "?"); id != "-" && (!ifNone || p == nil) {
			if of = b.named(expand(id)); of == nil && i == len(beginnings)-1 {
				return nil, "", ""
			}
			if of == p {
				note = ""
			}
		}
		if of != p || rest != name {
			return of, rest, note
		}
	}
	return nil, "", ""
}

// listed returns the model that a provider lists under a name; without one, the model of the provider whose names look like that.
func (b *Book) listed(p *provider, name string) *model {
	if p != nil {
		return p.find(name)
	}
	for _, p := range b.providers {
		if p.ModelMatch != nil && p.ModelMatch.holds(name) {
			return p.find(name)
		}
	}
	return nil
}

// named returns the provider with a name that is no part of a longer one.
func (b *Book) named(name string) *provider {
	name, known := usage.ProviderName(name)
	p := b.provider(name)
	if p != nil && !known && joined(p.ID) != joined(name) {
		return nil
	}
	return p
}

// only returns the model of a name that exactly one provider lists.
func (b *Book) only(name string) (only *model) {
	for _, p := range b.providers {
		if m := p.own(name); m != nil {
			if only != nil {
				return nil
			}
			only = m
		}
	}
	return only
}
