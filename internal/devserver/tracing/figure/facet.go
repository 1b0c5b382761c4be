package figure

import (
	"encoding/json"
	"math"
	"strconv"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// Facet is a property that runs share, with a filter that finds them.
type Facet struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	Query string `json:"query"`
	N     int    `json:"n"`
	// Below says that the property belongs to runs below the requested root runs, and that these are counted.
	Below bool `json:"-"`
}

// facetKind is a kind of facets: how its filters start and end.
type facetKind struct {
	key, before, after string
	by                 store.RunGroup
}

var (
	nameFacets   = facetKind{"name", "eq(name, ", ")", store.RunGroup{Column: store.ByName}}
	typeFacets   = facetKind{"run_type", "eq(run_type, ", ")", store.RunGroup{Column: store.ByRunType}}
	tagFacets    = facetKind{"tag", "has(tags, ", ")", byTag}
	statusFacets = facetKind{"status", "eq(status, ", ")", store.RunGroup{Column: store.ByStatus}}
	modelFacets  = facetKind{"model", `and(eq(metadata_key, "` + store.ModelKey + `"), eq(metadata_value, `, "))", byModel}
)

// Counter counts groups of the newest matching runs.
type Counter interface {
	CountGroups(f store.RunFilter, by store.RunGroup, newest, most int) ([]store.GroupCount, error)
}

// CommonFacets returns the names, types and tags of the matching runs that are the most common ones.
func CommonFacets(c Counter, f store.RunFilter) ([]Facet, error) {
	all := []Facet{}
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
func (k facetKind) of(c Counter, f store.RunFilter, newest int) ([]Facet, error) {
	groups, err := c.CountGroups(f, k.by, newest, limits.Facets)
	all := make([]Facet, len(groups))
	for i, g := range groups {
		all[i] = Facet{Key: k.key, Value: g.Group, Query: k.before + strconv.Quote(g.Group) + k.after, N: g.Runs}
	}
	return all, err
}

// Facets returns common properties of the newest matching runs.
func Facets(c Counter, f store.RunFilter, newest int) ([]Facet, error) {
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
			one.Below = below
			all = append(all, one)
		}
	}
	metadata, err := metadataFacets(c, f, newest)
	return append(all, metadata...), err
}

// metadataFacets returns the most common metadata entries. The model has its own kind.
func metadataFacets(c Counter, f store.RunFilter, newest int) ([]Facet, error) {
	// This is more than the number of models that a project calls.
	groups, err := c.CountGroups(f, store.RunGroup{Labels: &store.LabelGroup{Kind: store.Metadata, Pairs: true}}, newest, 2*limits.Facets)
	if err != nil {
		return nil, err
	}
	var all []Facet
	for _, g := range groups {
		var pair [2]string
		if err := json.Unmarshal([]byte(g.Group), &pair); err != nil {
			return nil, err
		}
		if key, value := pair[0], pair[1]; key != store.ModelKey && len(all) < limits.Facets {
			all = append(all, Facet{
				Key: "metadata", Value: key + ": " + value, N: g.Runs,
				Query: "and(eq(metadata_key, " + strconv.Quote(key) + "), eq(metadata_value, " + strconv.Quote(value) + "))",
			})
		}
	}
	return all, nil
}
