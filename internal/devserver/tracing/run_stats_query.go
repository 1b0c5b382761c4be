package tracing

import (
	"cmp"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// statsRequest is what the body of POST /runs/stats says besides which runs it is about.
type statsRequest struct {
	GroupBy *statsGroupBy `json:"group_by,omitzero"`
	Select  []string      `json:"select,omitzero"`
}

// statsGroupBy asks for the figures of groups of runs.
type statsGroupBy struct {
	Attribute string `json:"attribute"`
	// Path is the key when runs are grouped by metadata.
	Path *string `json:"path,omitzero"`
	// MaxGroups keeps the groups with the most runs. What the service does without it is not documented; here it is all.
	MaxGroups *int64 `json:"max_groups,omitzero"`
}

var statsAttributes = []string{"name", "run_type", "tag", "metadata"}

func (r statsRequest) check() error {
	var v rest.BodyValidator
	body := []api.LocStep{api.Key("body")}
	metrics := rest.SortedKeys(statsFields(api.RunStats{}))
	for i := range r.Select {
		v.Choice(&r.Select[i], metrics, rest.Loc(body, "select", i))
	}
	if r.GroupBy == nil {
		return v.Err()
	}
	at := rest.Loc(body, "group_by")
	v.Choice(&r.GroupBy.Attribute, statsAttributes, rest.Loc(at, "attribute"))
	if r.GroupBy.Attribute == "metadata" && rest.OrEmpty(r.GroupBy.Path) == "" {
		v.Add(rest.Loc(at, "path"), "missing", "Field required: the key of the metadata to group by")
	}
	if r.GroupBy.MaxGroups != nil && *r.GroupBy.MaxGroups < 1 {
		v.Add(rest.Loc(at, "max_groups"), "greater_than_equal", "Input should be greater than or equal to 1")
	}
	return v.Err()
}

// group is how the store groups the runs.
func (g statsGroupBy) group() store.RunGroup {
	switch g.Attribute {
	case "name":
		return store.RunGroup{Column: store.ByName}
	case "run_type":
		return store.RunGroup{Column: store.ByRunType}
	case "tag":
		return store.RunGroup{Labels: &store.LabelGroup{}}
	default:
		return store.RunGroup{Labels: &store.LabelGroup{Metadata: true, Key: rest.OrEmpty(g.Path)}}
	}
}

// largest are the names of the groups that are kept.
func (g statsGroupBy) largest(groups map[string]*measured) []string {
	names := slices.SortedFunc(maps.Keys(groups), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(groups[b].runs), len(groups[a].runs)), cmp.Compare(a, b))
	})
	if g.MaxGroups != nil {
		names = names[:min(int64(len(names)), *g.MaxGroups)]
	}
	return names
}

// runStats answers the figures of runs, or of each group of them by its name.
func (s *Service) runStats(c *rest.Call) (rest.Answer, error) {
	selection, err := rest.Decode[runSelection](c.Body, api.Neutral)
	if err != nil {
		return rest.Answer{}, err
	}
	request, err := rest.Decode[statsRequest](c.Body, api.Neutral)
	if err != nil {
		return rest.Answer{}, err
	}
	if err := request.check(); err != nil {
		return rest.Answer{}, err
	}
	f, err := selection.filter(c)
	if err != nil {
		return rest.Answer{}, err
	}
	if request.GroupBy == nil {
		m, err := s.figures(c, f, request.details())
		if err != nil {
			return rest.Answer{}, err
		}
		return rest.OK(request.chosen(m)), nil
	}
	groups, err := measure(c, f, request.GroupBy.group(), request.details(), func(run store.RunTiming) string { return run.Group })
	if err != nil {
		return rest.Answer{}, err
	}
	all := map[string]any{}
	for _, name := range request.GroupBy.largest(groups) {
		all[name] = request.chosen(groups[name])
	}
	return rest.Answer{Status: http.StatusOK, Body: all}, nil
}

// figures are those of all runs that match.
func (s *Service) figures(c *rest.Call, f store.RunFilter, details bool) (*measured, error) {
	all, err := measure(c, f, store.RunGroup{}, details, func(store.RunTiming) struct{} { return struct{}{} })
	if err != nil || len(all) == 0 {
		return &measured{}, err
	}
	return all[struct{}{}], nil
}

// details says that details of tokens or costs are among what is asked for.
func (r statsRequest) details() bool {
	return len(r.Select) == 0 || slices.ContainsFunc(r.Select, func(name string) bool { return strings.HasSuffix(name, "_details") })
}

// chosen are the metrics that are asked for, or all of them.
func (r statsRequest) chosen(m *measured) map[string]any {
	all := statsFields(m.answer())
	if len(r.Select) > 0 {
		maps.DeleteFunc(all, func(name string, _ any) bool { return !slices.Contains(r.Select, name) })
	}
	return all
}

// statsFields are the figures by their names on the wire.
func statsFields(stats api.RunStats) map[string]any {
	fields, _ := rest.Complete(reflect.ValueOf(stats), api.Neutral).(map[string]any) // That is what a struct becomes.
	return fields
}
