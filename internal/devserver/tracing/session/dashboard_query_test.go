package session

import (
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
)

// TestChartSteps checks that steps of days begin at the same local time on every day that has it, and others are equally long, when the
// clocks in Berlin go forward from 2:00 to 3:00 on March 29 and back from 3:00 to 2:00 on October 25.
func TestChartSteps(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	assert.Must(t, err)
	for name, tc := range map[string]struct {
		start string
		zone  *time.Location
		step  stride
		want  []string // In UTC.
	}{
		"forward": {"2026-03-27T23:00:00Z", berlin, stride{Days: 1}, []string{
			"2026-03-27T23:00:00Z", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z", "2026-03-30T22:00:00Z",
		}},
		"at a time that one day doesn't have": {"2026-03-28T01:30:00Z", berlin, stride{Days: 1}, []string{
			"2026-03-28T01:30:00Z", "2026-03-29T01:30:00Z", "2026-03-30T00:30:00Z", "2026-03-31T00:30:00Z",
		}},
		"back": {"2026-10-23T22:00:00Z", berlin, stride{Days: 1}, []string{
			"2026-10-23T22:00:00Z", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z", "2026-10-26T23:00:00Z",
		}},
		"weeks": {"2026-03-14T01:30:00Z", berlin, stride{Days: 7}, []string{
			"2026-03-14T01:30:00Z", "2026-03-21T01:30:00Z", "2026-03-28T01:30:00Z", "2026-04-04T00:30:00Z",
		}},
		"days and hours": {"2026-03-28T01:30:00Z", berlin, stride{Days: 1, Hours: 2}, []string{
			"2026-03-28T01:30:00Z", "2026-03-29T03:30:00Z", "2026-03-30T04:30:00Z", "2026-03-31T06:30:00Z",
		}},
		"hours": {"2026-03-28T01:30:00Z", berlin, stride{Hours: 24}, []string{
			"2026-03-28T01:30:00Z", "2026-03-29T01:30:00Z", "2026-03-30T01:30:00Z", "2026-03-31T01:30:00Z",
		}},
		"centuries": {"1000-01-01T00:00:00Z", time.UTC, stride{Hours: 500_000}, []string{
			"1000-01-01T00:00:00Z", "1057-01-15T08:00:00Z", "1114-01-30T16:00:00Z", "1171-02-14T00:00:00Z", "1228-02-28T08:00:00Z",
			"1285-03-13T16:00:00Z", "1342-03-29T00:00:00Z",
		}},
		"UTC": {"2026-03-28T01:30:00Z", time.UTC, stride{Days: 1}, []string{
			"2026-03-28T01:30:00Z", "2026-03-29T01:30:00Z", "2026-03-30T01:30:00Z", "2026-03-31T01:30:00Z",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			start, err := time.Parse(time.RFC3339, tc.start)
			assert.Must(t, err)
			end := start.AddDate(1, 0, 0)
			if tc.step.Hours > 24 {
				end = start.AddDate(1000, 0, 0)
			}
			steps, err := chartStepsOf(&start, &end, end, tc.step, tc.zone)
			if err != nil || len(steps.starts) < len(tc.want) {
				t.Fatalf("%d steps, %v; want at least %d", len(steps.starts), err, len(tc.want))
			}
			var got []string
			for _, at := range steps.starts[:len(tc.want)] {
				got = append(got, at.UTC().Format(time.RFC3339))
			}
			assert.Same(t, "starts", tc.want, got)
		})
	}
}
