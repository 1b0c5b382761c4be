package session

import (
	"fmt"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
)

// dashboard returns a project's figures over time, in the sections that the service is documented to have.
func dashboard(c *rest.Call) (rest.Answer, error) {
	row, err := session(c)
	if err != nil {
		return rest.Answer{}, err
	}
	request, err := rest.DecodeTolerant[dashboardRequest](c)
	if err != nil {
		return rest.Answer{}, err
	}
	steps, err := request.steps(c.Now)
	if err != nil {
		return rest.Answer{}, err
	}
	answer := dashboardAnswer{ID: chartID(row, "dashboard"), SessionID: row.ID, Title: row.Name, Charts: []chart{}}
	for i, wanted := range dashboardSections {
		runs, err := readChartRuns(c.Tx, row, wanted, request, steps)
		if err != nil {
			return rest.Answer{}, err
		}
		section := dashboardSection{
			ID: chartID(row, wanted.title), Title: wanted.title, Description: wanted.description, Index: i, Charts: []chart{},
		}
		for i, plan := range wanted.plans(runs) {
			section.Charts = append(section.Charts, runs.draw(row, wanted, plan, i))
		}
		answer.SubSections = append(answer.SubSections, section)
	}
	return rest.OK(answer), nil
}

// sessionSeries returns a project's figures over time: by default, for each of the last 24 hours.
func sessionSeries(c *rest.Call) (rest.Answer, error) {
	row, err := session(c)
	if err != nil {
		return rest.Answer{}, err
	}
	p := c.Params()
	from, to, step := readWindow(p, c.Now)
	if err := p.Err(); err != nil {
		return rest.Answer{}, err
	}
	buckets, err := series(c.Tx, row, from, to, step)
	if err != nil {
		return rest.Answer{}, err
	}
	return rest.OK(seriesAnswer{SessionID: row.ID, From: form.DateTime(from), To: form.DateTime(to), Step: step.String(), Buckets: buckets}), nil
}

// readWindow reads the parameters of a series.
func readWindow(p *rest.Params, now time.Time) (from, to time.Time, step time.Duration) {
	step, to = defaultStep, now
	if text := p.Text("step"); text != nil {
		var err error
		if step, err = time.ParseDuration(*text); err != nil || step <= 0 {
			p.Add("step", "time_delta_parsing", "Input should be a duration above zero, such as 5m or 1h")
			return from, to, step
		}
	}
	if at := p.AnyTime("to"); at != nil {
		to = *at
	}
	from = to.Add(-defaultBuckets * step)
	if at := p.AnyTime("from"); at != nil {
		from = *at
	}
	switch span := to.Sub(from); {
	case p.Err() != nil:
	case span <= 0:
		p.Add("from", "value_error", "Input should be before 'to', which is "+form.DateTime(to))
	case (span-1)/step >= limits.Buckets:
		p.Add("step", "value_error", fmt.Sprintf("Input should be longer: %s of %s are more than %d steps", span, step, limits.Buckets))
	}
	return from, to, step
}
