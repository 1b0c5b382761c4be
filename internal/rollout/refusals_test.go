package rollout

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/poll"
)

func TestUntil(t *testing.T) {
	t.Parallel()
	refusal := func(status int) error { return &client.Error{Status: status} }
	passing, failed := errors.New("passes"), errors.New("failed")
	const half = patience / 2
	type look struct {
		after time.Duration // since the previous check
		err   error
	}
	for name, test := range map[string]struct {
		looks []look
		ends  error // of the last check; after nil, another check succeeds
	}{
		"less than the patience": {[]look{{0, refusal(422)}, {patience - time.Second, refusal(422)}}, nil},
		"as long as it":          {[]look{{0, refusal(404)}, {patience, refusal(422)}}, refusal(422)},
		"other statuses between": {[]look{{0, refusal(404)}, {half, refusal(302)}, {half, refusal(422)}}, refusal(422)},
		"an answer between":      {[]look{{0, refusal(422)}, {half, nil}, {half, refusal(422)}}, nil},
		"an outage between":      {[]look{{0, refusal(422)}, {half, refusal(502)}, {half, refusal(422)}}, nil},
		"what passes between":    {[]look{{0, refusal(422)}, {half, passing}, {half, refusal(422)}}, nil},
		"what passes, for long":  {[]look{{0, passing}, {time.Hour, passing}}, nil},
		"a failure":              {[]look{{0, nil}, {half, failed}}, failed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			now := clock{devserver.NewManualClock(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))}
			policy := poll.Policy{Clock: now}
			checks := 0
			_, err := Until(t.Context(), policy, 24*time.Hour, func(err error) bool { return errors.Is(err, passing) },
				func(context.Context) (struct{}, bool, error) {
					checks++
					if checks > len(test.looks) {
						return struct{}{}, true, nil
					}
					look := test.looks[checks-1]
					now.Advance(look.after)
					return struct{}{}, errors.Is(look.err, failed), look.err
				})
			want := len(test.looks)
			if test.ends == nil {
				want++
			}
			if checks != want || (err == nil) != (test.ends == nil) || err != nil && err.Error() != test.ends.Error() {
				t.Errorf("%d checks, want %d; err = %v, want %v", checks, want, err, test.ends)
			}
		})
	}
}
