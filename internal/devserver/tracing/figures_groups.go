package tracing

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// FiguresGroup contains the figures of a group of a project's runs, in total and per step.
type FiguresGroup struct {
	Name  string
	All   Figures
	Steps []Figures
}

// Groupings are the criteria by which FiguresBy groups.
func (s *Service) Groupings() []string { return []string{"model", "tag"} }

// FiguresBy returns the figures of a project in a time range, in groups: of the calls of each model, or of the traces with
// each tag. The end is exclusive. The groups with the most runs come first. A run with several tags counts for each.
func (s *Service) FiguresBy(
	c *rest.Call, projectID, by string, from, to time.Time, step time.Duration, most int,
) ([]FiguresGroup, error) {
	key := groupsKey{projectID, by, from, to, step, most}
	if known := s.groupsCache.read(c.Tx.Snapshot(), key); known != nil {
		return known, nil
	}
	groups, err := figuresBy(c, key)
	if err == nil {
		s.groupsCache.keep(c.Tx.Snapshot(), key, groups)
	}
	return groups, err
}

// groupsKey contains the arguments of FiguresBy.
type groupsKey struct {
	projectID, by string
	from, to      time.Time
	step          time.Duration
	most          int
}

func figuresBy(c *rest.Call, k groupsKey) ([]FiguresGroup, error) {
	f := store.RunFilter{WorkspaceID: c.WorkspaceID, ProjectIDs: []string{k.projectID}, From: &k.from, To: &k.to}
	group := modelFacets.by
	if k.by == tagFacets.key {
		f.Root, group = new(true), tagFacets.by
	}
	type cell struct {
		group string
		step  int
	}
	cells, err := measure(c, f, group, false, func(run store.RunTiming) cell { return cell{run.Group, int(run.StartTime.Sub(k.from) / k.step)} })
	if err != nil {
		return nil, err
	}
	counts := map[string]int{}
	for at, m := range cells {
		counts[at.group] += len(m.runs)
	}
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	return rest.Collect(names[:min(len(names), k.most)], func(name string) FiguresGroup {
		var sum spanValues
		one := FiguresGroup{Name: name}
		for at, i := k.from, 0; at.Before(k.to); at, i = at.Add(k.step), i+1 {
			values := newSpanValues(cells[cell{name, i}])
			sum = sum.add(values)
			one.Steps = append(one.Steps, values.figures())
		}
		one.All = sum.figures()
		return one
	}), nil
}

// groupsCache caches groups until anything is stored: each is computed from all runs, which takes a moment for many. Cached
// values are not modified.
type groupsCache struct {
	mu       sync.Mutex
	snapshot int64
	known    map[groupsKey][]FiguresGroup
}

// maxGroups limits the number of cached results.
const maxGroups = 50

func (g *groupsCache) read(snapshot int64, key groupsKey) []FiguresGroup {
	g.mu.Lock()
	defer g.mu.Unlock()
	if snapshot != g.snapshot {
		return nil
	}
	return g.known[key]
}

func (g *groupsCache) keep(snapshot int64, key groupsKey, groups []FiguresGroup) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if snapshot != g.snapshot || len(g.known) >= maxGroups {
		g.snapshot, g.known = snapshot, map[groupsKey][]FiguresGroup{}
	}
	g.known[key] = groups
}
