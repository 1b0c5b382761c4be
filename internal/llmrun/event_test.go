package llmrun

import (
	"fmt"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
)

func TestTimeToFirstToken(t *testing.T) {
	t.Parallel()
	const absent = time.Duration(-1)
	for name, tc := range map[string]struct {
		run  string
		want time.Duration
	}{
		"one token":              {`{"run_type":"llm","start_time":10,"events":[{"name":"new_token","time":12}]}`, 2 * time.Second},
		"the earliest of many":   {`{"run_type":"llm","start_time":10,"events":[{"name":"new_token","time":14},{"name":"new_token","time":11.5},{"name":"new_token","time":13}]}`, 1500 * time.Millisecond},
		"other events":           {`{"run_type":"llm","start_time":10,"events":[{"name":"start","time":10},{"name":"end","time":14}]}`, absent},
		"no events":              {`{"run_type":"llm","start_time":10}`, absent},
		"another type of run":    {`{"run_type":"chain","start_time":10,"events":[{"name":"new_token","time":12}]}`, absent},
		"no type":                {`{"start_time":10,"events":[{"name":"new_token","time":12}]}`, absent},
		"no start":               {`{"run_type":"llm","events":[{"name":"new_token","time":12}]}`, absent},
		"no time":                {`{"run_type":"llm","start_time":10,"end_time":20,"events":[{"name":"new_token"}]}`, absent},
		"a time that is none":    {`{"run_type":"llm","start_time":10,"events":[{"name":"new_token","time":"soon"}]}`, absent},
		"one with, one without":  {`{"run_type":"llm","start_time":10,"events":[{"name":"new_token"},{"name":"new_token","time":12}]}`, 2 * time.Second},
		"one without, after one": {`{"run_type":"llm","start_time":10,"events":[{"name":"new_token","time":12},{"name":"new_token"}]}`, 2 * time.Second},
		"before the start":       {`{"run_type":"llm","start_time":10.000999,"events":[{"name":"new_token","time":10}]}`, 0},
		"a first_token_time":     {`{"run_type":"llm","start_time":10,"first_token_time":12}`, absent},
		"events that are no one": {`{"run_type":"llm","start_time":10,"events":"new_token"}`, absent},
		"different zones":        {`{"run_type":"llm","start_time":"2026-11-21T00:00:00","events":[{"name":"new_token","time":"2026-11-21T01:00:00.25+01:00"}]}`, 250 * time.Millisecond},
	} {
		got, ok := decodeRun(t, tc.run).TimeToFirstToken()
		if !ok {
			got = absent
		}
		assert.Same(t, fmt.Sprintf("%s: TimeToFirstToken", name), tc.want, got)
	}
}

func TestCheckEvents(t *testing.T) {
	t.Parallel()
	for run, want := range map[string]int{
		`{"run_type":"llm","events":[{"name":"new_token"},{"name":"new_token"}]}`:                      1,
		`{"run_type":"llm","events":[{"name":"new_token"},{"name":"new_token","time":1}]}`:             0,
		`{"run_type":"llm","events":[{"name":"start"}]}`:                                               0,
		`{"run_type":"chain","events":[{"name":"new_token"}]}`:                                         0,
		`{"run_type":"llm","events":[{"name":"new_token","time":"soon"},{"name":"end","time":"now"}]}`: 1,
	} {
		problems := decodeRun(t, run).CheckEvents()
		if len(problems) != want {
			t.Errorf("%s: problems = %v, want %d", run, problems, want)
		}
		for _, p := range problems {
			if p.Rule != ruleNewTokenTime || p.Pointer != "/events/0" {
				t.Errorf("%s: problem = %s, want one about the time at /events/0", run, p)
			}
		}
	}
}
