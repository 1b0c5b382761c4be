package oauthtoken

import (
	"context"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// TestIsAnother compares what the service never returns.
func TestIsAnother(t *testing.T) {
	t.Parallel()
	prints := framework.Fingerprint{}.With(accessTokenWO, "a").With(refreshTokenWO, "")
	tokens := func(access string, version, expires types.Int64) model {
		return model{AccessTokenWO: types.StringValue(access), TokensWOVersion: version, ExpiresInSeconds: expires}
	}
	none, one, two := types.Int64Null(), types.Int64Value(1), types.Int64Value(2)
	for name, test := range map[string]struct {
		planned, state model
		prints         framework.Fingerprint
		want           bool
	}{
		"same":                       {tokens("a", none, none), tokens("", none, none), prints, false},
		"another":                    {tokens("b", none, none), tokens("", none, none), prints, true},
		"unknown":                    {model{AccessTokenWO: types.StringUnknown()}, model{}, prints, true},
		"a refresh token":            {model{AccessTokenWO: types.StringValue("a"), RefreshTokenWO: types.StringValue("r")}, model{}, prints, true},
		"another of the version":     {tokens("b", one, none), tokens("", one, none), prints, false},
		"another version":            {tokens("a", two, none), tokens("", one, none), prints, true},
		"an unknown version":         {tokens("a", types.Int64Unknown(), none), tokens("", one, none), prints, true},
		"a first version":            {tokens("a", one, none), tokens("", none, none), prints, false},
		"a first version of another": {tokens("b", one, none), tokens("", none, none), prints, true},
		"no longer a version":        {tokens("a", none, none), tokens("", one, none), prints, false},
		"another lifetime":           {tokens("a", one, one), tokens("", one, two), prints, true},
		"imported":                   {tokens("b", one, one), tokens("", none, none), framework.Fingerprint{}, false},
		"imported, then versions":    {tokens("b", two, one), tokens("", one, one), framework.Fingerprint{}, true},
	} {
		if got := test.planned.isAnother(test.state, test.prints); got != test.want {
			t.Errorf("%s: %t, want %t", name, got, test.want)
		}
	}
}

type noPrivate struct{ framework.PrivateWriter }

func (noPrivate) GetKey(context.Context, string) ([]byte, diag.Diagnostics) { return nil, nil }

// TestPlanOfUnknown plans an unknown value: the apply plans again with a known one, and may not find updated_at open only then.
func TestPlanOfUnknown(t *testing.T) {
	t.Parallel()
	state := model{IsDefault: types.BoolValue(true), ProviderAccountLabel: types.StringValue("bot"), UpdatedAt: types.StringValue("2026-01-02T03:04:05Z")}
	for name, test := range map[string]struct {
		change func(*model)
		open   bool
	}{
		"nothing":    {func(*model) {}, false},
		"is_default": {func(m *model) { m.IsDefault = types.BoolUnknown() }, true},
		"label":      {func(m *model) { m.ProviderAccountLabel = types.StringUnknown() }, true},
	} {
		planned := state
		test.change(&planned)
		private := framework.Private{PrivateReader: noPrivate{}}
		got, diags := plan(t.Context(), &framework.Planning[model]{Operation: &framework.Operation[model]{ProviderData: &framework.ProviderData{}, Plan: planned, State: &state, Private: private}})
		if diags.HasError() || got.UpdatedAt.IsUnknown() != test.open {
			t.Errorf("%s: updated_at is %s, want it open: %t; %v", name, got.UpdatedAt, test.open, diags)
		}
	}
}

// TestWarnExpired warns from the moment on at which a token expires.
func TestWarnExpired(t *testing.T) {
	t.Parallel()
	expires := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for now, want := range map[time.Time]int{expires.Add(-time.Second): 0, expires: 1, expires.Add(time.Hour): 1} {
		if got := (model{ExpiresAt: types.StringValue(expires.Format(time.RFC3339))}).warnExpired(now); len(got) != want || got.HasError() {
			t.Errorf("at %s: %v, want %d warnings", now, got, want)
		}
	}
	if got := (model{ExpiresAt: types.StringNull()}).warnExpired(expires); len(got) > 0 {
		t.Errorf("without an expiry: %v", got)
	}
}
