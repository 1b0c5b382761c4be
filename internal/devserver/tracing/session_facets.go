package tracing

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

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

// maxFacets is how many values of each kind are answered, the most common ones.
const maxFacets = 10

// facets are those of the runs that match.
func facets(c *rest.Call, f store.RunFilter) ([]facet, error) {
	all := []facet{}
	for _, kind := range []struct {
		key, before string
		by          store.RunGroup
	}{
		{"name", "eq(name, ", store.RunGroup{Column: store.ByName}},
		{"run_type", "eq(run_type, ", store.RunGroup{Column: store.ByRunType}},
		{"tag", "has(tags, ", store.RunGroup{Labels: &store.LabelGroup{}}},
	} {
		counts := map[string]int{}
		err := c.Tx.EachTiming(f, kind.by, func(run store.RunTiming) error {
			counts[run.Group]++
			return nil
		})
		if err != nil {
			return nil, err
		}
		values := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
			return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
		})
		for _, value := range values[:min(len(values), maxFacets)] {
			all = append(all, facet{kind.key, value, kind.before + strconv.Quote(value) + ")", counts[value]})
		}
	}
	return all, nil
}
