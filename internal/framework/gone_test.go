package framework

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
)

// sleeper is a clock that only sleeping advances.
type sleeper struct {
	now    time.Time
	sleeps []time.Duration
}

func (s *sleeper) Now() time.Time { return s.now }

func (s *sleeper) Sleep(ctx context.Context, d time.Duration) error {
	s.now, s.sleeps = s.now.Add(d), append(s.sleeps, d)
	return ctx.Err()
}

// neverUnseen is the private state of objects that a read has shown.
type neverUnseen struct{}

func (neverUnseen) GetKey(context.Context, string) ([]byte, diag.Diagnostics) { return nil, nil }

// TestLookTwice_together looks for a hundred objects that are gone: those that are looked for in a list wait together, and no second look
// follows the first list sooner than that.
func TestLookTwice_together(t *testing.T) {
	t.Parallel()
	const many = 100
	w := newWorkspace(1)
	c := w.client(t)
	clock := &sleeper{now: time.Now()}
	p := &ProviderData{Client: c, Clock: clock, Memo: &Memo{}}
	for i := range many {
		_, presence, diags := LookTwice(t.Context(), p, neverUnseen{}, "deployment", nth(i+1), func(ctx context.Context, p *ProviderData) (*api.Deployment, string, diag.Diagnostics) {
			l := Shared(p, "deployments", c, c.Deployments().Pages, func(d api.Deployment) []string { return []string{d.ID} })
			found, err := listedOne(ctx, l, c, nth(i+1))
			if client.IsNotFound(err) {
				return nil, Missing, nil
			}
			return found, "", nil
		})
		if presence != Gone || diags.HasError() {
			t.Errorf("deployment %d: presence = %v, %v; want it gone", i, presence, diags)
		}
	}
	if want := slices.Repeat([]time.Duration{provenAfter}, readOneByOne+1); !slices.Equal(clock.sleeps, want) {
		t.Errorf("waited %v, want once for each of the first %d and once for all others", clock.sleeps, readOneByOne)
	}
	if pages := w.pages.Load(); pages != 2 {
		t.Errorf("read %d pages, want one of each list", pages)
	}
}
