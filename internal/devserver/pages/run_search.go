package pages

import (
	"errors"
	"net/url"
	"slices"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages/web"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/run"
)

// searchTerms are the terms of a search, nil for an expression.
func searchTerms(by web.RunFilter) []term {
	if expressionPattern.MatchString(by.Search) {
		return nil
	}
	return termsOf(by.Search)
}

// conditions are what the runs of a list must meet: the runs themselves, in the filter language, and any run of their traces.
type conditions struct {
	translated

	runType, status string
	roots           bool
}

// conditionsOf reads what a list is filtered by. A problem is what is wrong with the search.
func conditionsOf(c *rest.Call, by web.RunFilter, terms []term) (where conditions, problem string, err error) {
	typed := slices.ContainsFunc(terms, func(t term) bool { return t.key == "type" })
	where.runType, where.status = by.RunType, by.Status
	where.roots = by.Scope != scopeAll && by.RunType == "" && !typed
	where.run = by.Search
	if terms != nil {
		if where.translated, err = translate(terms, where.roots); err != nil {
			err = form.Broken("%s", err)
		}
	}
	if err == nil {
		err = run.Narrow(&store.RunFilter{}, where.run)
	}
	if refused, is := errors.AsType[*form.Error](err); is && refused.Fields == nil {
		return where, refused.Text(c.Dialect), nil
	}
	return where, "", err
}

// narrow restricts a filter to the matching runs.
func narrow(f *store.RunFilter, where conditions) error {
	f.RunType, f.Status, f.Subtrees = where.runType, where.status, true
	if where.roots {
		f.Root = new(true)
	}
	if err := run.Narrow(f, where.run); err != nil {
		return err
	}
	return run.NarrowTraces(f, where.trace)
}

// searchedElsewhere is how many runs of a project are searched for a match outside the time range.
const searchedElsewhere = 100_000

// otherRange returns the range with the newest matching run; none if nothing matches.
func otherRange(c *rest.Call, at web.Address, f store.RunFilter) (web.Range, error) {
	newest, err := c.Tx.Runs(f, false, nil, 1)
	if len(newest) == 0 {
		return web.Range{}, err
	}
	started := newest[0].StartTime.In(zoneOf(at.Query))
	other := web.Range{Label: started.Format("2006-01-02")}
	day := started.Truncate(time.Minute)
	other.URL = at.With("range", "", "from", day.Format("2006-01-02"), "to", day.AddDate(0, 0, 1).Format("2006-01-02"))
	for _, r := range slices.Backward(lastRanges) {
		if from, _ := r.bounds(c.Now); !started.Before(from) {
			other.Label, other.URL = r.label, at.With("range", r.name, "from", "", "to", "")
		}
	}
	return other, nil
}

// runFilter reads the form above a list of runs.
func runFilter(q url.Values) web.RunFilter {
	return web.RunFilter{Search: q.Get("q"), Scope: q.Get("scope"), RunType: q.Get("run_type"), Status: q.Get("status")}
}
