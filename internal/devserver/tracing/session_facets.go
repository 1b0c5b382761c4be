package tracing

import (
	"cmp"
	"errors"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// facet is something that runs have in common, with a filter that finds them.
type facet struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	Query string `json:"query"`
	N     int    `json:"n"`
}

// facetKind is a kind of facets: what its filters begin with, and what they end with.
type facetKind struct {
	key, before, after string
	by                 store.RunGroup
}

var (
	nameFacets = facetKind{"name", "eq(name, ", ")", store.RunGroup{Column: store.ByName}}
	typeFacets = facetKind{"run_type", "eq(run_type, ", ")", store.RunGroup{Column: store.ByRunType}}
	tagFacets  = facetKind{"tag", "has(tags, ", ")", store.RunGroup{Labels: &store.LabelGroup{}}}
)

// facets are those of the runs that match.
func facets(c *rest.Call, f store.RunFilter) ([]facet, error) {
	all := []facet{}
	for _, kind := range []facetKind{nameFacets, typeFacets, tagFacets} {
		some, err := kind.of(c, f, math.MaxInt)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// errEnough ends the reading of runs.
var errEnough = errors.New("enough runs were read")

// of are the most common facets of this kind, of as many runs as are to be read.
func (k facetKind) of(c *rest.Call, f store.RunFilter, most int) ([]facet, error) {
	counts, read := map[string]int{}, 0
	err := c.Tx.EachTiming(f, k.by, func(run store.RunTiming) error {
		if read++; read > most {
			return errEnough
		}
		counts[run.Group]++
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return nil, err
	}
	values := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	return rest.Collect(values[:min(len(values), limits.Facets)], func(value string) facet {
		return facet{k.key, value, k.before + strconv.Quote(value) + k.after, counts[value]}
	}), nil
}
