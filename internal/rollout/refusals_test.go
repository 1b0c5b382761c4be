package rollout

import (
	"errors"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/poll"
)

func TestRefusals(t *testing.T) {
	t.Parallel()
	refusal := func(status int) error { return &client.Error{Status: status} }
	passing := errors.New("passes")
	const half = patience / 2
	type look struct {
		after time.Duration // since the previous check
		err   error
	}
	for name, test := range map[string]struct {
		looks []look
		final bool // for the last check; the earlier ones are not final
	}{
		"less than the patience": {[]look{{0, refusal(422)}, {patience - time.Second, refusal(422)}}, false},
		"as long as it":          {[]look{{0, refusal(422)}, {patience, refusal(422)}}, true},
		"other statuses between": {[]look{{0, refusal(404)}, {half, refusal(302)}, {half, refusal(422)}}, true},
		"an answer between":      {[]look{{0, refusal(422)}, {half, nil}, {half, refusal(422)}}, false},
		"an outage between":      {[]look{{0, refusal(422)}, {half, refusal(502)}, {half, refusal(422)}}, false},
		"what passes between":    {[]look{{0, refusal(422)}, {half, passing}, {half, refusal(422)}}, false},
		"what passes, for long":  {[]look{{0, passing}, {time.Hour, passing}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			now := clock{devserver.NewManualClock(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))}
			r := Refusals{Policy: poll.Policy{Clock: now}, Passes: func(err error) bool { return errors.Is(err, passing) }}
			for i, look := range test.looks {
				now.Advance(look.after)
				if final := r.Final(look.err); final != (i == len(test.looks)-1 && test.final) {
					t.Fatalf("look %d: final = %t", i, final)
				}
			}
		})
	}
}
