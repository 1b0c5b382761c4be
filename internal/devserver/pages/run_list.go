package pages

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/filter"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages/web"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/figure"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/run"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
)

// runStatuses are the statuses by which runs can be filtered.
var runStatuses = []string{string(llmrun.StatusSuccess), string(llmrun.StatusError), string(llmrun.StatusPending)}

// runColumns maps sortable fields to columns of figures.
var runColumns = []struct{ field, label string }{
	{"start_time", "Started"}, {"latency", "Latency"}, {"first_token_time", "First token"}, {"total_tokens", "Tokens"}, {"total_cost", "Cost"},
}

// facetRuns is the number of runs that are read for each kind of facets while a user waits for a page.
const facetRuns = 4000

// addedUpRuns is that number for a search that adds up the runs below each of them.
const addedUpRuns = 1000

// toList leads to the rows of a page: who sorts or turns a page is looking at them.
const toList = "#list"

// toRuns leads to the rows, below the figures.
const toRuns = "#runs"

// scopeAll is the scope of a list of all runs, not just root runs.
const scopeAll = "all"

// runList is a list of the runs that match the query of the page: by default, the root runs, newest first. Facets are
// computed when they are shown.
func (s *Service) runList(c *rest.Call, frame web.Frame, path string, f store.RunFilter, withFacets bool) (web.RunList, error) {
	at := addressOf(c, path)
	list := newRunList(at)
	list.Frame = frame
	terms := searchTerms(list.Filter)
	list.Chips = shownChips(at, terms)
	where, problem, err := conditionsOf(c, list.Filter, terms)
	if problem != "" || err != nil {
		list.Problem, list.Suggestions = problem, suggestions(nil)
		return list, err
	}
	unbounded := f
	unbounded.From, unbounded.To, unbounded.Newest = nil, nil, searchedElsewhere
	if err := narrow(&f, where); err != nil {
		return list, err
	}
	if withFacets {
		newest := facetRuns
		if slices.ContainsFunc(terms, func(t term) bool { return t.key == "tokens" || t.key == "cost" }) {
			newest = addedUpRuns
		}
		facets, keys, err := figure.Facets(c.Tx, f, newest)
		if err != nil {
			return list, err
		}
		list.Facets, list.FacetRuns, list.Suggestions = facetGroups(at, terms, facets), int64(newest), suggestions(facets)
		list.MetadataKeys = keys
	}
	rows, err := listedRuns(c, at, f, &list.Paging)
	if err != nil {
		return list, err
	}
	if len(rows) == 0 && withFacets {
		if err := narrow(&unbounded, where); err != nil {
			return list, err
		}
		list.Other, err = otherRange(c, at, unbounded)
		return list, err
	}
	if list.Runs, err = summaries(c, rows); err != nil {
		return list, err
	}
	return list, addScores(c, list.Runs)
}

// scoreSum is the feedback on runs with one key.
type scoreSum struct {
	total float64 // Of scores.
	n     int
	said  string // The last value that is no score.
}

func (s scoreSum) mean() float64 { return s.total / float64(s.n) }

func (s scoreSum) text() string {
	if s.n == 0 {
		return s.said
	}
	return strconv.FormatFloat(math.Round(1000*s.mean())/1000, 'f', -1, 64)
}

// sumScores adds up the feedback on each of some runs, by run and key.
func sumScores(c *rest.Call, ids []string) (map[string]map[string]*scoreSum, error) {
	sums := map[string]map[string]*scoreSum{}
	return sums, c.Tx.EachFeedback(store.RunFilter{WorkspaceID: c.WorkspaceID, IDs: ids}, func(f store.Feedback) error {
		of := sums[*f.RunID]
		if of == nil {
			of = map[string]*scoreSum{}
			sums[*f.RunID] = of
		}
		if of[f.Key] == nil {
			of[f.Key] = &scoreSum{}
		}
		if f.Score != nil {
			of[f.Key].total, of[f.Key].n = of[f.Key].total+*f.Score, of[f.Key].n+1
		} else if f.Value != nil {
			of[f.Key].said = *f.Value
		}
		return nil
	})
}

// addScores adds the feedback on runs: of each key, the mean score, or the last value.
func addScores(c *rest.Call, listed []web.ListedRun) error {
	if len(listed) == 0 {
		return nil
	}
	sums, err := sumScores(c, form.Collect(listed, func(r web.ListedRun) string { return r.ID }))
	for i, r := range listed {
		for _, key := range slices.Sorted(maps.Keys(sums[r.ID])) {
			listed[i].Scores = append(listed[i].Scores, web.Setting{Name: key, Value: sums[r.ID][key].text()})
		}
	}
	return err
}

// newRunList returns a list without its runs: the page's query, and the available choices.
func newRunList(at web.Address) web.RunList {
	q := at.Query
	list := web.RunList{Path: at.Path, AllURL: at.Path, Columns: columnsOf(at), Filter: runFilter(q)}
	list.Filter.RunTypes, list.Filter.Statuses = run.Types, runStatuses
	list.Filter.Hidden = at.Hidden("q", "scope", "run_type", "status")
	list.ExportURL = web.Address{Path: web.ExportOf(at.Path), Query: q}.With("live", "")
	list.Live = q.Get("live") != ""
	list.FollowURL = at.With("live", "on")
	if list.Live {
		list.FollowURL = at.With("live", "")
	}
	return list
}

// listedRuns returns the rows of a page, in the requested order.
func listedRuns(c *rest.Call, at web.Address, f store.RunFilter, paging *web.Paging) ([]store.Run, error) {
	by, ascending := at.Query.Get("sort"), at.Query.Get("order") == "asc"
	if slices.Contains(store.RunSorts, filter.Field(by)) {
		p, page := paged(c, at.Path)
		rows, err := c.Tx.SortedRuns(f, filter.Field(by), ascending, page)
		rows, *paging = window(p, rows)
		for _, link := range []*string{&paging.PreviousURL, &paging.NextURL} {
			if *link != "" {
				*link += toList
			}
		}
		return rows, err
	}
	cursor := at.Query.Get("cursor")
	rows, next, err := run.Page(c.Tx, f, ascending, cursor, rowsPerPage)
	if next != "" {
		paging.NextURL = at.With("cursor", next) + toList
	}
	if cursor != "" { // Back to the first page: new runs have moved all pages.
		paging.PreviousURL = at.With() + toList
	}
	return rows, err
}

// columnsOf returns the columns with links that sort by them in descending order, or in ascending order if they are already
// sorted that way.
func columnsOf(at web.Address) []web.Column {
	by, ascending := at.Query.Get("sort"), at.Query.Get("order") == "asc"
	if by == "" {
		by = runColumns[0].field
	}
	columns := make([]web.Column, len(runColumns))
	for i, c := range runColumns {
		field, order := c.field, ""
		columns[i] = web.Column{Label: c.label, Number: i > 0}
		if field == by {
			columns[i].Order, order = "descending", "asc"
			if ascending {
				columns[i].Order, order = "ascending", ""
			}
		}
		if i == 0 {
			field = ""
		}
		columns[i].URL = at.With("sort", field, "order", order) + toList
	}
	return columns
}

// facetLabels are the display names of the kinds of facets.
var facetLabels = map[string]string{"status": "Status", "run_type": "Type", "model": "Model", "name": "Name", "tag": "Tag", "metadata": "Metadata"}

// narrowed returns a search with another condition.
func narrowed(search string, terms []term, condition string) string {
	if terms != nil {
		so, _ := translate(terms, false) // The list was translated, too.
		search = so.run
	}
	if search == "" {
		return condition
	}
	return all([]string{search, condition})
}

// facetGroups returns facets by kind, each with the URL of the search that it adds a chip to, or a condition.
func facetGroups(at web.Address, terms []term, facets []figure.Facet) (groups []web.FacetGroup) {
	search := strings.TrimSpace(at.Query.Get("q"))
	for _, facet := range facets {
		if len(groups) == 0 || groups[len(groups)-1].Label != facetLabels[facet.Key] {
			groups = append(groups, web.FacetGroup{Label: facetLabels[facet.Key]})
		}
		added := narrowed(search, terms, facet.Query)
		if text := chipOf(facet); text != "" && (terms != nil || search == "") {
			added = strings.TrimSpace(search + " " + text)
		}
		group := &groups[len(groups)-1]
		shown := web.Facet{Value: facet.Value, Count: int64(facet.N), URL: at.With("q", added)}
		if facet.Below {
			shown.URL = at.With("q", added, "scope", scopeAll)
		}
		group.Facets = append(group.Facets, shown)
	}
	return groups
}

// previewLength is how much of the contents is read for a row of a list.
const previewLength = 2000

// summaries returns runs as shown in lists.
func summaries(c *rest.Call, rows []store.Run) ([]web.ListedRun, error) {
	below, err := figure.Summarize(c.Tx, c.WorkspaceID, rows)
	if err != nil {
		return nil, err
	}
	previews, err := c.Tx.RunPreviews(c.WorkspaceID, form.Collect(rows, func(row store.Run) string { return row.ID }), previewLength)
	if err != nil {
		return nil, err
	}
	said := map[string]store.RunPreview{}
	for _, p := range previews {
		said[p.ID] = p
	}
	return form.Collect(rows, func(row store.Run) web.ListedRun {
		if row.ParentRunID != nil { // A thread consists of traces.
			row.ThreadID = nil
		}
		return web.ListedRun{
			RunSummary: runSummary(row, below[row.ID].Totals, below[row.ID].Models), ProjectID: row.ProjectID, ThreadID: api.OrEmpty(row.ThreadID),
			Inputs: previewOf(said[row.ID].Inputs, document.Inputs), Outputs: previewOf(said[row.ID].Outputs, document.Outputs),
		}
	}), nil
}
