package main

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// madeUp are measurements in which our plans take three times as long as the others', and grow quadratically.
func madeUp(sizes ...int) measurements {
	var all measurements
	for _, n := range sizes {
		for _, s := range subjects {
			for _, p := range phaseNames() {
				m := measurement{subject: s.name, amount: n, phase: p}
				m.effort = effort{wall: time.Duration(n) * time.Second / 10, cpu: time.Second, usage: usage{cliPeak: 60 << 10}}
				if s.provider != "" {
					m.effort.pluginPeak, m.effort.pluginCPU = 20<<10, time.Second/2
				}
				if s.name == ours && p == planAgain {
					m.effort.cpu *= 2
					m.effort.wall = 3 * time.Duration(n*n) * time.Second / 10
					m.effort.pluginPeak = 30 << 10
					m.requests = n + 1
				}
				all = append(all, m)
			}
		}
	}
	return all
}

func TestScaleTables(t *testing.T) {
	t.Parallel()
	all := madeUp(1, 10)
	for name, tc := range map[string]struct{ got, want string }{
		"times": {timesTable(all, []int{10}), `| resource              |   N | plan new | apply | plan | plan, no refresh | plan changed | destroy | plan CPU | provider's CPU | provider MB | CLI MB |
| --------------------- | --: | -------: | ----: | ---: | ---------------: | -----------: | ------: | -------: | -------------: | ----------: | -----: |
| terraform_data        |  10 |     1.00 |  1.00 | 1.00 |             1.00 |         1.00 |    1.00 |     1.00 |              – |           – |     60 |
| minimal               |  10 |     1.00 |  1.00 | 1.00 |             1.00 |         1.00 |    1.00 |     1.00 |           0.50 |          20 |     60 |
| agentplane_deployment |  10 |     1.00 |  1.00 | 30.0 |             1.00 |         1.00 |    1.00 |     2.00 |           0.50 |          30 |     60 |
| pass-through          |  10 |     1.00 |  1.00 | 1.00 |             1.00 |         1.00 |    1.00 |     1.00 |           0.50 |          20 |     60 |
`},
		"ratios": {ratiosTable(all, []int{1}), `| compared with  |   N | plan new | apply | plan | plan, no refresh | plan changed | destroy | plan CPU |
| -------------- | --: | -------: | ----: | ---: | ---------------: | -----------: | ------: | -------: |
| terraform_data |   1 |      1.0 |   1.0 |  3.0 |              1.0 |          1.0 |     1.0 |      2.0 |
| minimal        |   1 |      1.0 |   1.0 |  3.0 |              1.0 |          1.0 |     1.0 |      2.0 |
| pass-through   |   1 |      1.0 |   1.0 |  3.0 |              1.0 |          1.0 |     1.0 |      2.0 |
`},
		"requests": {requestsTable(all, []int{1, 10}), `| N   | plan new | apply | plan | plan, no refresh | plan changed | destroy |
| --- | -------: | ----: | ---: | ---------------: | -----------: | ------: |
| 1   |        0 |     0 |    2 |                0 |            0 |       0 |
| 10  |        0 |     0 |   11 |                0 |            0 |       0 |
`},
		"growth": {growthTable(all, []int{1, 10, 20}), `| resource              | 1 → 10 | 10 → 20 |
| --------------------- | -----: | ------: |
| terraform_data        |   1.00 |       – |
| minimal               |   1.00 |       – |
| agentplane_deployment |   2.00 |       – |
| pass-through          |   1.00 |       – |
`},
	} {
		if diff := cmp.Diff(tc.want, tc.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestMiddle checks that the median of the times and the highest peak of all runs count.
func TestMiddle(t *testing.T) {
	t.Parallel()
	got := middle([]effort{{wall: 3, usage: usage{1, 5, 1}}, {wall: 1, usage: usage{7, 2, 1}}, {wall: 2, cpu: 4, usage: usage{0, 0, 2}}})
	if want := (effort{wall: 2, cpu: 4, usage: usage{7, 5, 2}}); got != want {
		t.Errorf("middle = %+v, want %+v", got, want)
	}
}
