package rollout

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/poll"
)

func TestRefusals(t *testing.T) {
	t.Parallel()
	refusal := func(status int) error { return &client.Error{Status: status} }
	passing := errors.New("passes")
	type look struct {
		after time.Duration // since the previous check
		err   error
	}
	for name, test := range map[string]struct {
		looks  []look
		object error
		final  bool // for the last check; the earlier ones are not final
		want   error
	}{
		"less than a minute":     {[]look{{0, refusal(422)}, {59 * time.Second, refusal(422)}}, nil, false, refusal(422)},
		"a minute":               {[]look{{0, refusal(422)}, {time.Minute, refusal(422)}}, nil, true, refusal(422)},
		"another status between": {[]look{{0, refusal(422)}, {30 * time.Second, refusal(409)}, {30 * time.Second, refusal(422)}}, nil, false, refusal(422)},
		"an answer between":      {[]look{{0, refusal(422)}, {30 * time.Second, nil}, {30 * time.Second, refusal(422)}}, nil, false, refusal(422)},
		"an outage between":      {[]look{{0, refusal(422)}, {30 * time.Second, refusal(502)}, {30 * time.Second, refusal(422)}}, nil, false, refusal(422)},
		"what passes between":    {[]look{{0, refusal(422)}, {30 * time.Second, passing}, {30 * time.Second, refusal(422)}}, nil, false, refusal(422)},
		"what passes, for long":  {[]look{{0, passing}, {time.Hour, passing}}, nil, false, passing},
		"after another status":   {[]look{{0, refusal(409)}, {30 * time.Second, refusal(422)}, {time.Minute, refusal(422)}}, nil, true, refusal(422)},
		"403 of a part":          {[]look{{0, refusal(403)}, {time.Minute, refusal(403)}}, nil, false, refusal(403)},
		"403 of all":             {[]look{{0, refusal(403)}, {time.Minute, refusal(403)}}, refusal(403), true, refusal(403)},
		"404, then 401":          {[]look{{0, refusal(404)}, {time.Minute, refusal(404)}}, refusal(401), false, refusal(404)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			now := clock{devserver.NewManualClock(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))}
			r := Refusals{
				Policy: poll.Policy{Clock: now},
				Object: func(context.Context) error { return test.object },
				Passes: func(err error) bool { return errors.Is(err, passing) },
			}
			for i, look := range test.looks {
				now.Advance(look.after)
				final, err := r.Final(t.Context(), look.err)
				if last := i == len(test.looks)-1; final != (last && test.final) {
					t.Fatalf("look %d: final is %t", i, final)
				} else if last && client.StatusOf(err) != client.StatusOf(test.want) {
					t.Error(cmp.Diff(test.want, err))
				}
			}
		})
	}
}

// TestRefusals_gone expects the error that the object is gone, not the error about a part of it.
func TestRefusals_gone(t *testing.T) {
	t.Parallel()
	now := clock{devserver.NewManualClock(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))}
	part := &client.Error{Status: 404, Detail: "Revision not found"}
	object := &client.Error{Status: 404, Detail: "Deployment not found"}
	r := Refusals{Policy: poll.Policy{Clock: now}, Object: func(context.Context) error { return object }}
	if final, _ := r.Final(t.Context(), part); final {
		t.Fatal("the first look ends the wait")
	}
	now.Advance(time.Minute)
	if final, err := r.Final(t.Context(), part); !final || !errors.Is(err, object) {
		t.Errorf("final is %t, with %v", final, err)
	}
}
