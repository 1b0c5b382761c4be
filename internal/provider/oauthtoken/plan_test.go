package oauthtoken

import (
	"testing"
	"time"

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
