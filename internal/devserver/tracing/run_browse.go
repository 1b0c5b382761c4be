package tracing

import (
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/filter"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// Facet is something that runs have in common, with a filter that finds them.
type Facet struct {
	Key, Value, Filter string
	Count              int
}

// browsedFacets is how many runs are read for facets while somebody waits for a page.
const browsedFacets = 20_000

var modelFacets = facetKind{"model", `and(eq(metadata_key, "ls_model_name"), eq(metadata_value, `, "))",
	store.RunGroup{Labels: &store.LabelGroup{Metadata: true, Key: "ls_model_name"}}}

// Facets are what the runs that match have in common, of the first that are found.
func (s *Service) Facets(c *rest.Call, f store.RunFilter) ([]Facet, error) {
	var all []Facet
	for _, kind := range []facetKind{
		{"status", "eq(status, ", ")", store.RunGroup{Column: store.ByStatus}}, typeFacets, modelFacets, nameFacets, tagFacets,
	} {
		some, err := kind.of(c, f, browsedFacets)
		if err != nil {
			return nil, err
		}
		for _, one := range some {
			all = append(all, Facet{one.Key, one.Value, one.Query, one.N})
		}
	}
	return all, nil
}

// Narrow adds a search to a filter: one in the language of filters, or words that all have to be in a run.
func (s *Service) Narrow(f *store.RunFilter, text string) error {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil
	}
	expression, err := parseFilter(&text)
	if operator, _, is := strings.Cut(text, "("); !is || !filter.IsOperator(operator) {
		words := strings.Fields(text)
		if len(words) > limits.FilterSearches {
			return rest.BadRequest("A search has at most %d words.", limits.FilterSearches)
		}
		expression, err = filter.And{Terms: rest.Collect(words, func(word string) filter.Expr { return filter.Search{Text: word} })}, nil
	}
	if err != nil {
		return err
	}
	f.Where = both(f.Where, expression)
	return nil
}

// Sorts are the fields that lists can be sorted by besides the start.
func (s *Service) Sorts() []string { return rest.Texts(store.RunSorts) }

// SortedRuns is a page of runs by one of Sorts.
func (s *Service) SortedRuns(c *rest.Call, f store.RunFilter, by string, ascending bool, page store.Page) ([]store.Run, error) {
	if !slices.Contains(s.Sorts(), by) {
		return nil, rest.BadRequest("Runs can't be sorted by %s.", by)
	}
	return c.Tx.SortedRuns(f, filter.Field(by), ascending, page)
}

// Named are the newest runs with a name, of those that match.
func (s *Service) Named(c *rest.Call, f store.RunFilter, name string, limit int) ([]store.Run, error) {
	f.Where = both(f.Where, filter.Compare{Op: filter.Equal, Field: filter.Name, Value: filter.Value{Text: &name}})
	return c.Tx.Runs(f, false, nil, limit)
}
