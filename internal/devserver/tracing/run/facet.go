package run

import (
	"math"
	"strconv"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/figure"
)

// FacetAnswer is a property that runs share, with a filter that finds them.
type FacetAnswer struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	Query string `json:"query"`
	N     int    `json:"n"`
}

// facetKind is a kind of facets: how its filters start and end.
type facetKind struct {
	key, before, after string
	by                 store.RunGroup
}

var (
	nameFacets = facetKind{"name", "eq(name, ", ")", store.RunGroup{Column: store.ByName}}
	typeFacets = facetKind{"run_type", "eq(run_type, ", ")", store.RunGroup{Column: store.ByRunType}}
	tagFacets  = facetKind{"tag", "has(tags, ", ")", figure.ByTag}
)

// CommonFacets returns those of the matching runs.
func CommonFacets(c *rest.Call, f store.RunFilter) ([]FacetAnswer, error) {
	all := []FacetAnswer{}
	for _, kind := range []facetKind{nameFacets, typeFacets, tagFacets} {
		some, err := kind.of(c, f, math.MaxInt)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// of returns the most common facets of this kind among the newest matching runs.
func (k facetKind) of(c *rest.Call, f store.RunFilter, newest int) ([]FacetAnswer, error) {
	groups, err := c.Tx.CountGroups(f, k.by, newest, limits.Facets)
	return form.Collect(groups, func(g store.GroupCount) FacetAnswer {
		return FacetAnswer{k.key, g.Group, k.before + strconv.Quote(g.Group) + k.after, g.Runs}
	}), err
}
