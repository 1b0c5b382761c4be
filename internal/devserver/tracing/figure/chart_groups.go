package figure

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// GroupSummary contains the figures of a group of a project's runs, in total and per step.
type GroupSummary struct {
	Name  string
	All   Summary
	Steps []Summary
}

// Groupings are the criteria by which GroupSummaries groups.
var Groupings = []string{"model", "tag", "revision"}

// revisionKey is the metadata key of the revision that a run was made by, which clients log from their environment.
const revisionKey = "revision_id"

// byModel groups runs by the model that they call, byTag by their tags, and byRevision by the revision that made them.
var (
	byRevision = store.RunGroup{Labels: &store.LabelGroup{Kind: store.Metadata, Key: revisionKey}}

	byModel = store.RunGroup{Labels: &store.LabelGroup{Kind: store.Metadata, Key: store.ModelKey}}
	byTag   = store.RunGroup{Labels: &store.LabelGroup{}}
)

// Snapshot is a Reader that says what it reads.
type Snapshot interface {
	Reader
	// Snapshot is the number of write transactions that reads include.
	Snapshot() int64
}

// Charts remembers the figures that are being viewed.
type Charts struct{ groups groupsCache }

// GroupSummaries returns the figures of a project in a time range, in groups: of the calls of each model, or of the traces with
// each tag or of each revision. The end is exclusive. The groups with the most runs come first. A run with several tags counts for each.
func (c *Charts) GroupSummaries(
	r Snapshot, workspaceID, projectID, by string, from, to time.Time, step time.Duration, most int,
) ([]GroupSummary, error) {
	key := groupsKey{workspaceID, projectID, by, from.UTC(), to.UTC(), step, most}
	if known := c.groups.read(r.Snapshot(), key); known != nil {
		return known, nil
	}
	groups, err := groupSummaries(r, key)
	if err == nil {
		c.groups.keep(r.Snapshot(), key, groups)
	}
	return groups, err
}

// groupsKey contains the arguments of GroupSummaries, or those of Summaries.
type groupsKey struct {
	workspaceID, projectID, by string
	from, to                   time.Time
	step                       time.Duration
	most                       int
}

func groupSummaries(r Reader, k groupsKey) ([]GroupSummary, error) {
	f := store.RunFilter{WorkspaceID: k.workspaceID, ProjectIDs: []string{k.projectID}, From: &k.from, To: &k.to}
	group := byModel
	switch k.by {
	case "tag":
		f.Root, group = new(true), byTag
	case "revision":
		f.Root, group = new(true), byRevision
	}
	steps, err := InGroups(r, f, group, Starts(k.from, k.to, k.step), false)
	if err != nil {
		return nil, err
	}
	counts := map[string]int{}
	for name, some := range steps {
		for _, step := range some {
			counts[name] += step.Runs
		}
	}
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	names = names[:min(len(names), k.most)]
	groups := make([]GroupSummary, len(names))
	for n, name := range names {
		sum, err := Together(steps[name])
		if err != nil {
			return nil, err
		}
		groups[n].Name, groups[n].All = name, sum.Summary()
		for _, step := range steps[name] {
			groups[n].Steps = append(groups[n].Steps, step.Summary())
		}
	}
	return groups, nil
}

// groupsCache caches groups until anything is stored: each is computed from all runs, which takes a moment for many. Cached
// values are not modified.
type groupsCache struct {
	mu       sync.Mutex
	snapshot int64
	known    map[groupsKey][]GroupSummary
}

// maxGroups limits the number of cached results. A page of projects has those of 50.
const maxGroups = 200

func (g *groupsCache) read(snapshot int64, key groupsKey) []GroupSummary {
	g.mu.Lock()
	defer g.mu.Unlock()
	if snapshot != g.snapshot {
		return nil
	}
	return g.known[key]
}

func (g *groupsCache) keep(snapshot int64, key groupsKey, groups []GroupSummary) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.known == nil || snapshot != g.snapshot || len(g.known) >= maxGroups {
		g.snapshot, g.known = snapshot, map[groupsKey][]GroupSummary{}
	}
	g.known[key] = groups
}
