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
	// Below reports whether the property belongs to runs below the requested root runs, and that these are counted.
	Below bool `json:"-"`
}

// byModel groups runs by the model that they call, and byTag by their tags.
var (
	byModel = store.RunGroup{Labels: &store.LabelGroup{Kind: store.Metadata, Key: store.ModelKey}}
	byTag   = store.RunGroup{Labels: &store.LabelGroup{}}
)

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

// metadataFacets are entries. The model has its own kind.
var metadataFacets = facetKind{key: "metadata", by: store.RunGroup{Labels: &store.LabelGroup{Kind: store.Metadata, Pairs: true}}}

// CommonFacets returns the names, types and tags of the matching runs that are the most common ones.
func CommonFacets(tx *store.Tx, f store.RunFilter) ([]Facet, error) {
	all := []Facet{}
	for _, kind := range []facetKind{nameFacets, typeFacets, tagFacets} {
		groups, err := tx.CountGroups(f, kind.by, math.MaxInt, limits.Facets)
		if err != nil {
			return nil, err
		}
		all = append(all, kind.of(groups)...)
	}
	return all, nil
}

// of returns the facets of groups, of which those with the most runs come first.
func (k facetKind) of(groups []store.GroupCount) []Facet {
	groups = groups[:min(len(groups), limits.Facets)]
	all := make([]Facet, len(groups))
	for i, g := range groups {
		all[i] = Facet{Key: k.key, Value: g.Group, Query: k.before + strconv.Quote(g.Group) + k.after, N: g.Runs}
	}
	return all
}

// Facets returns common properties of the newest matching runs.
func Facets(tx *store.Tx, f store.RunFilter, newest int) ([]Facet, error) {
	kinds := []facetKind{statusFacets, typeFacets, modelFacets, nameFacets, tagFacets, metadataFacets}
	by := make([]store.RunGroup, len(kinds))
	for i, kind := range kinds {
		by[i] = kind.by
	}
	// Of the metadata, this is more than the number of models that a project calls.
	counts, err := tx.CountFacets(f, by, newest, 2*limits.Facets)
	if err != nil {
		return nil, err
	}
	var all []Facet
	for i, kind := range kinds {
		if kind.key == metadataFacets.key {
			entries, err := entryFacets(counts[i])
			if err != nil {
				return nil, err
			}
			all = append(all, entries...)
			continue
		}
		// Models are usually called below the root of a trace.
		below := kind.key == modelFacets.key && len(counts[i]) == 0 && f.Root != nil && *f.Root
		if below {
			calls := f
			calls.Root = nil
			if counts[i], err = tx.CountGroups(calls, kind.by, newest, limits.Facets); err != nil {
				return nil, err
			}
		}
		for _, one := range kind.of(counts[i]) {
			one.Below = below
			all = append(all, one)
		}
	}
	return all, nil
}

// entryFacets returns the most common metadata entries.
func entryFacets(groups []store.GroupCount) (all []Facet, _ error) {
	for _, g := range groups {
		var pair [2]string
		if err := json.Unmarshal([]byte(g.Group), &pair); err != nil {
			return nil, err
		}
		if key, value := pair[0], pair[1]; key != store.ModelKey && len(all) < limits.Facets {
			all = append(all, Facet{
				Key: metadataFacets.key, Value: key + ": " + value, N: g.Runs,
				Query: "and(eq(metadata_key, " + strconv.Quote(key) + "), eq(metadata_value, " + strconv.Quote(value) + "))",
			})
		}
	}
	return all, nil
}
