package session

import (
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/run"
)

// dashboardRequest requests the charts of a project: by default, of the last day, in steps of a quarter of an hour.
type dashboardRequest struct {
	StartTime *string           `json:"start_time,omitzero"`
	EndTime   *string           `json:"end_time,omitzero"`
	Stride    *stride           `json:"stride,omitzero"`
	Timezone  *string           `json:"timezone,omitzero"`
	GroupBy   *run.StatsGroupBy `json:"group_by,omitzero"`
	OmitData  *bool             `json:"omit_data,omitzero"`
}

// stride is the length of a step.
type stride struct {
	Days    int64 `json:"days,omitzero"`
	Hours   int64 `json:"hours,omitzero"`
	Minutes int64 `json:"minutes,omitzero"`
}

// defaultStride is the service's.
var defaultStride = stride{Minutes: 15}

// after returns the time a number of steps later. Days are calendar days, which may have 23 or 25 hours. Steps are counted from the start,
// because one of them may begin at a local time that its day doesn't have, and the next one shouldn't be late for that.
func (s stride) after(start time.Time, steps int) time.Time {
	day := start.AddDate(0, 0, steps*int(s.Days))
	seconds := int64(steps) * (s.Hours*3600 + s.Minutes*60) // A time.Duration ends after 292 years.
	return time.Unix(day.Unix()+seconds, int64(day.Nanosecond())).In(start.Location())
}

// chartSteps contains the start times of a chart's steps, and the end of the last one, which may be cut short.
type chartSteps struct {
	starts []time.Time
	end    time.Time
}

// steps validates the request and returns its steps.
func (r dashboardRequest) steps(now time.Time) (chartSteps, error) {
	if err := (run.StatsRequest{GroupBy: r.GroupBy}).Check(); err != nil {
		return chartSteps{}, err
	}
	var v form.Validator
	step := defaultStride
	if r.Stride != nil {
		step = *r.Stride
	}
	for _, n := range []int64{step.Days, step.Hours, step.Minutes} {
		if n < 0 || n > limits.Stride {
			v.Add(form.Body("stride"), "value_error", "Input should have from 0 to %d of each unit", limits.Stride)
		}
	}
	if step == (stride{}) {
		v.Add(form.Body("stride"), "value_error", "Input should be greater than zero")
	}
	zone, err := time.LoadLocation(api.OrEmpty(r.Timezone)) // UTC by default.
	if err != nil || zone == time.Local {
		v.Add(form.Body("timezone"), "value_error", "Input should be the name of a time zone, such as Europe/Berlin: this name is unknown")
	}
	if err := v.Err(); err != nil {
		return chartSteps{}, err
	}
	start, err := form.Time("start_time", r.StartTime)
	if err != nil {
		return chartSteps{}, err
	}
	end, err := form.Time("end_time", r.EndTime)
	if err != nil {
		return chartSteps{}, err
	}
	return chartStepsOf(start, end, now, step, zone)
}

// chartStepsOf returns the steps between two times, with the precision of run times.
func chartStepsOf(start, end *time.Time, now time.Time, step stride, zone *time.Location) (chartSteps, error) {
	s := chartSteps{end: now.Truncate(time.Microsecond)}
	if end != nil {
		s.end = end.Truncate(time.Microsecond)
	}
	from := s.end.Add(-run.DefaultWindow)
	if start != nil {
		from = start.Truncate(time.Microsecond)
	}
	for at := from.In(zone); at.Before(s.end) && len(s.starts) <= limits.Buckets; at = step.after(from.In(zone), len(s.starts)) {
		s.starts = append(s.starts, at)
	}
	switch {
	case len(s.starts) == 0:
		return s, form.Problem(form.Body("start_time"), "value_error", "Input should be before the end, which is %s", form.DateTime(s.end))
	case len(s.starts) > limits.Buckets:
		return s, form.Problem(form.Body("stride"), "value_error", "Input should be longer: it results in more than %d steps", limits.Buckets)
	}
	return s, nil
}
