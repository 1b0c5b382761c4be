package pages

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"
	_ "time/tzdata" // Small images have no time zones.

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages/web"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/figure"
)

// projectRange is a time range in steps: the last ones, or those between two times.
type projectRange struct {
	name, label string
	span, step  time.Duration
	from, to    time.Time // Zero for the last steps.
	problem     error     // Why another range is shown than the query asks for.
}

// bounds returns whole steps, so that repeated views can be compared; the last one is incomplete.
func (r projectRange) bounds(now time.Time) (from, to time.Time) {
	if !r.from.IsZero() {
		return r.from, r.to
	}
	to = now.Truncate(r.step).Add(r.step)
	return to.Add(-r.span), to
}

// lastRanges are the ranges that end now.
var lastRanges = []projectRange{
	{name: "24h", label: "last 24 hours", span: 24 * time.Hour, step: time.Hour},
	{name: "1h", label: "last hour", span: time.Hour, step: 5 * time.Minute},
	{name: "7d", label: "last 7 days", span: 7 * 24 * time.Hour, step: 6 * time.Hour},
	{name: "30d", label: "last 30 days", span: 30 * 24 * time.Hour, step: 24 * time.Hour},
}

// A night is what people sleep through, and the hours around it.
const (
	nightFrom = 20
	nightTo   = 8
)

// dayRanges returns the ranges that depend on the day where the viewer is.
func dayRanges(now time.Time) []projectRange {
	year, month, day := now.Date()
	at := func(days, hour int) time.Time { return time.Date(year, month, day+days, hour, 0, 0, 0, now.Location()) }
	return []projectRange{
		{name: "today", label: "today", step: time.Hour, from: at(0, 0), to: at(1, 0)},
		{name: "yesterday", label: "yesterday", step: time.Hour, from: at(-1, 0), to: at(0, 0)},
		{name: "last-night", label: "last night", step: 30 * time.Minute, from: at(-1, nightFrom), to: at(0, nightTo)},
	}
}

// zoneOf returns the time zone that a query names; by default, and if it is unknown, UTC.
func zoneOf(query url.Values) *time.Location {
	zone, err := web.Zone(query.Get("tz"))
	if err != nil {
		return time.UTC
	}
	return zone
}

// rangesIn are the ranges that are offered in a time zone; the first is the default.
func rangesIn(zone *time.Location, now time.Time) []projectRange {
	return slices.Concat(lastRanges, dayRanges(now.In(zone)))
}

// chosenRange returns the time range of a page.
func chosenRange(c *rest.Call) projectRange {
	query := c.Request.URL.Query()
	zone, problem := web.Zone(query.Get("tz"))
	if problem != nil {
		zone = time.UTC
	}
	chosen := lastRanges[0]
	for _, r := range rangesIn(zone, c.Now) {
		if r.name == query.Get("range") {
			chosen = r
		}
	}
	if query.Get("from") != "" || query.Get("to") != "" {
		var err error
		if chosen, err = customRange(query, c.Now.In(zone)); err != nil {
			chosen, problem = lastRanges[0], cmp.Or(problem, err)
		}
	}
	chosen.problem = problem
	return chosen
}

// customLayouts are the forms in which times are given: by a link, and by a field of a form.
var customLayouts = []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02"}

// customRange returns the range between two times of a query. One of them may be missing.
func customRange(query url.Values, now time.Time) (projectRange, error) {
	r := projectRange{to: now}
	for _, bound := range []struct {
		name string
		at   *time.Time
	}{{"to", &r.to}, {"from", &r.from}} {
		given := query.Get(bound.name)
		if given == "" {
			continue
		}
		var err error
		for _, layout := range customLayouts {
			if *bound.at, err = time.ParseInLocation(layout, given, now.Location()); err == nil {
				break
			}
		}
		if year := bound.at.Year(); err != nil || year < 1970 || year > 9999 {
			return r, fmt.Errorf("%s is not a time: write 2026-05-02T18:00 or 2026-05-02T18:00:00Z", bound.name)
		}
	}
	if r.from.IsZero() {
		r.from = r.to.Add(-lastRanges[0].span)
	}
	if !r.from.Before(r.to) {
		return r, errors.New("the range ends before it starts")
	}
	r.step = stepOf(r.to.Sub(r.from))
	return r, nil
}

// mostPoints is the number of steps in a chart that can be told apart. Figures in shorter steps than a quarter of an hour are computed from
// the runs, so only short ranges have them.
const mostPoints = 48

// stepOf returns the length of the steps in which a time is shown.
func stepOf(span time.Duration) time.Duration {
	switch {
	case span <= 15*time.Minute:
		return time.Minute
	case span <= time.Hour:
		return 5 * time.Minute
	}
	for _, step := range []time.Duration{
		15 * time.Minute, 30 * time.Minute, time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour,
	} {
		if span <= mostPoints*step {
			return step
		}
	}
	const day = 24 * time.Hour
	return max(day, (span/mostPoints + day - 1).Truncate(day))
}

// describe describes a range in a time zone.
func (r projectRange) describe(zone *time.Location) string {
	if r.from.IsZero() {
		return r.label
	}
	const minute = "2006-01-02 15:04"
	bounds := r.from.In(zone).Format(minute) + " to " + r.to.In(zone).Format(minute) + " " + zone.String()
	if r.name == "" {
		return bounds
	}
	return r.label + " (" + bounds + ")"
}

// rangeMenu returns the ranges of the page at a path, and the form for another one.
func rangeMenu(c *rest.Call, frame web.Frame, path string, chosen projectRange) web.RangeMenu {
	at := addressOf(c, path)
	zone := zoneOf(at.Query)
	from, to := chosen.bounds(c.Now)
	const field = "2006-01-02T15:04:05"
	menu := web.RangeMenu{
		Frame: frame, Path: path, Label: chosen.describe(zone), From: from.In(zone).Format(field), To: to.In(zone).Format(field),
		Zone: at.Query.Get("tz"), Hidden: at.Hidden("range", "from", "to", "tz"), Custom: chosen.name == "" || chosen.problem != nil,
	}
	if chosen.problem != nil {
		menu.Problem = chosen.problem.Error()
	}
	for i, r := range rangesIn(zone, c.Now) {
		name := r.name
		if i == 0 {
			name = ""
		}
		menu.Ranges = append(menu.Ranges, web.Range{
			Label: r.label, URL: at.With("range", name, "from", "", "to", ""), Current: r.name == chosen.name, ByDay: !r.from.IsZero(),
		})
	}
	return menu
}

// pointURLs returns the addresses of the same page for each step of a range.
func pointURLs(at web.Address, r projectRange, now time.Time) (all []string) {
	from, to := r.bounds(now)
	starts := append(figure.Starts(from, to, r.step), to)
	for i, start := range starts[:len(starts)-1] {
		end := starts[i+1]
		all = append(all, at.With("range", "", "from", start.UTC().Format(time.RFC3339), "to", end.UTC().Format(time.RFC3339)))
	}
	return all
}
