package tracingproject

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework-timetypes/timetypes"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// TestWindow bounds the runs by what is configured, and by nothing else: without any of it, nothing is measured.
func TestWindow(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	day := func(hour int) *time.Time {
		at := time.Date(2026, 1, 1, hour, 0, 0, 0, time.UTC)
		return &at
	}
	hour := now.Add(-time.Hour)
	for name, test := range map[string]struct {
		window, start, end string
		from, to           *time.Time
		err                string
	}{
		"none":              {},
		"window":            {window: "1h", from: &hour},
		"window to an end":  {window: "3h", end: "2026-01-01T10:00:00Z", from: day(7), to: day(10)},
		"start":             {start: "2026-01-01T10:00:00Z", from: day(10)},
		"end":               {end: "2026-01-01T11:00:00+01:00", to: day(10)},
		"start and end":     {start: "2026-01-01T07:00:00Z", end: "2026-01-01T10:00:00Z", from: day(7), to: day(10)},
		"end before start":  {start: "2026-01-01T10:00:00Z", end: "2026-01-01T07:00:00Z", err: "2026-01-01T07:00:00Z is not after statistics_start_time, 2026-01-01T10:00:00Z"},
		"end at the start":  {start: "2026-01-01T10:00:00Z", end: "2026-01-01T11:00:00+01:00", err: "so the window is empty"},
		"start is no time":  {start: "yesterday", err: `"yesterday"`},
		"window is no time": {window: "a day", err: "a day"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := model{StatisticsStartTime: types.StringNull(), StatisticsEndTime: types.StringNull(), StatisticsWindow: timetypes.NewGoDurationNull()}
			if test.window != "" {
				m.StatisticsWindow = timetypes.GoDuration{StringValue: types.StringValue(test.window)}
			}
			if test.start != "" {
				m.StatisticsStartTime = types.StringValue(test.start)
			}
			if test.end != "" {
				m.StatisticsEndTime = types.StringValue(test.end)
			}
			from, to, diags := m.window(now)
			if test.err != "" {
				if len(diags) != 1 || !strings.Contains(diags[0].Detail(), test.err) {
					t.Errorf("%v, want %q", diags, test.err)
				}
				return
			}
			if diags.HasError() {
				t.Fatal(diags)
			}
			if diff := cmp.Diff([]*time.Time{test.from, test.to}, []*time.Time{from, to}); diff != "" {
				t.Errorf("window (-want +got):\n%s", diff)
			}
		})
	}
}

// TestNewStatistics keeps the digits of costs, and tells what isn't known from what is 0.
func TestNewStatistics(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		answer string
		want   statistics
	}{
		"no run": {`{"run_count":0,"total_tokens":0,"total_cost":null,"error_rate":null}`, statistics{
			RunCount: types.Int64Value(0), TotalTokens: types.Int64Value(0), PromptTokens: types.Int64Value(0), CompletionTokens: types.Int64Value(0),
			FeedbackScores: map[string]float64{}, FeedbackCounts: map[string]int64{},
		}},
		"runs": {
			`{"run_count":2,"latency_p50":1.5,"latency_p99":2,"first_token_p50":0.25,"first_token_p99":0.5,"total_tokens":30,"prompt_tokens":20,
			"completion_tokens":10,"total_cost":6.5e-5,"prompt_cost":0.0000350,"completion_cost":0,"error_rate":0,"streaming_rate":1,
			"last_run_start_time":"2026-01-02T03:03:05.000000","feedback_stats":{"correct":{"n":3,"avg":0.5,"values":{}},"tone":{"n":1,"avg":null}}}`,
			statistics{
				RunCount: types.Int64Value(2), LatencyP50: types.Float64Value(1.5), LatencyP99: types.Float64Value(2),
				FirstTokenP50: types.Float64Value(0.25), FirstTokenP99: types.Float64Value(0.5), TotalTokens: types.Int64Value(30),
				PromptTokens: types.Int64Value(20), CompletionTokens: types.Int64Value(10), TotalCost: types.StringValue("0.000065"),
				PromptCost: types.StringValue("0.000035"), CompletionCost: types.StringValue("0"), ErrorRate: types.Float64Value(0),
				StreamingRate: types.Float64Value(1), LastRunStartTime: types.StringValue("2026-01-02T03:03:05.000000Z"),
				FeedbackScores: map[string]float64{"correct": 0.5}, FeedbackCounts: map[string]int64{"correct": 3, "tone": 1},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var answer api.RunStats
			if err := json.Unmarshal([]byte(test.answer), &answer); err != nil {
				t.Fatal(err)
			}
			got, diags := newStatistics(answer)
			if diff := cmp.Diff(test.want, got); diff != "" || diags.HasError() {
				t.Errorf("statistics (-want +got):\n%s%v", diff, diags)
			}
		})
	}
	if _, diags := newStatistics(api.RunStats{FeedbackStats: json.RawMessage(`[]`)}); len(diags) != 1 {
		t.Errorf("feedback_stats that are a list: %v", diags)
	}
	cost, last := json.Number("much"), "yesterday"
	for said, answer := range map[string]api.RunStats{"much": {TotalCost: &cost}, "yesterday": {LastRunStartTime: &last}} {
		if _, diags := newStatistics(answer); len(diags) != 1 || !strings.Contains(diags[0].Detail(), `"`+said+`"`) {
			t.Errorf("%s: %v", said, diags)
		}
	}
}
