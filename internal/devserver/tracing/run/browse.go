package run

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/filter"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/refusal"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/figure"
)

// Facet is a property that runs share, with a filter that finds them.
type Facet struct {
	Key, Value, Filter string
	Count              int
	// Below says that the property belongs to runs below the requested root runs, and that these are counted.
	Below bool
}

var (
	statusFacets = facetKind{"status", "eq(status, ", ")", store.RunGroup{Column: store.ByStatus}}
	modelFacets  = facetKind{"model", `and(eq(metadata_key, "` + figure.ModelKey + `"), eq(metadata_value, `, "))",
		figure.ByModel}
)

// Facets returns common properties of the newest matching runs.
func (s *Service) Facets(c *rest.Call, f store.RunFilter, newest int) ([]Facet, error) {
	var all []Facet
	for _, kind := range []facetKind{statusFacets, typeFacets, modelFacets, nameFacets, tagFacets} {
		some, err := kind.of(c, f, newest)
		if err != nil {
			return nil, err
		}
		// Models are usually called below the root of a trace.
		below := kind.key == modelFacets.key && len(some) == 0 && f.Root != nil && *f.Root
		if below {
			calls := f
			calls.Root = nil
			if some, err = kind.of(c, calls, newest); err != nil {
				return nil, err
			}
		}
		for _, one := range some {
			all = append(all, Facet{one.Key, one.Value, one.Query, one.N, below})
		}
	}
	metadata, err := metadataFacets(c, f, newest)
	return append(all, metadata...), err
}

// metadataFacets returns the most common metadata entries. The model has its own kind.
func metadataFacets(c *rest.Call, f store.RunFilter, newest int) ([]Facet, error) {
	// This is more than the number of models that a project calls.
	groups, err := c.Tx.CountGroups(f, store.RunGroup{Labels: &store.LabelGroup{Metadata: true, Pairs: true}}, newest, 2*limits.Facets)
	if err != nil {
		return nil, err
	}
	var all []Facet
	for _, g := range groups {
		var pair [2]string
		if err := json.Unmarshal([]byte(g.Group), &pair); err != nil {
			return nil, err
		}
		if key, value := pair[0], pair[1]; key != figure.ModelKey && len(all) < limits.Facets {
			all = append(all, Facet{
				Key: "metadata", Value: key + ": " + value, Count: g.Runs,
				Filter: "and(eq(metadata_key, " + strconv.Quote(key) + "), eq(metadata_value, " + strconv.Quote(value) + "))",
			})
		}
	}
	return all, nil
}

// Narrow adds a search to a filter: an expression of the filter language, or words that a run must all contain.
func (s *Service) Narrow(f *store.RunFilter, text string) error {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil
	}
	expression, err := ParseFilter(&text)
	if operator, _, is := strings.Cut(text, "("); !is || !filter.IsOperator(operator) {
		words := strings.Fields(text)
		if len(words) > limits.FilterSearches {
			return refusal.Broken("A search can have at most %d words.", limits.FilterSearches)
		}
		expression, err = filter.And{Terms: form.Collect(words, func(word string) filter.Expr { return filter.Search{Text: word} })}, nil
	}
	if err != nil {
		return err
	}
	f.Where = Both(f.Where, expression)
	return nil
}

// Sorts are the fields, besides the start time, by which lists can be sorted.
func (s *Service) Sorts() []string { return form.Texts(store.RunSorts) }

// SortedRuns returns a page of runs, sorted by one of Sorts.
func (s *Service) SortedRuns(c *rest.Call, f store.RunFilter, by string, ascending bool, page store.Page) ([]store.Run, error) {
	if !slices.Contains(s.Sorts(), by) {
		return nil, refusal.Broken("Runs can't be sorted by %s.", by)
	}
	return c.Tx.SortedRuns(f, filter.Field(by), ascending, page)
}

// Named returns the newest matching runs with a name.
func (s *Service) Named(c *rest.Call, f store.RunFilter, name string, limit int) ([]store.Run, error) {
	f.Where = Both(f.Where, filter.Compare{Op: filter.Equal, Field: filter.Name, Value: filter.Value{Text: &name}})
	return c.Tx.Runs(f, false, nil, limit)
}
