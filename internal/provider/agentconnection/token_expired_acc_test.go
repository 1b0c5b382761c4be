package agentconnection_test

import (
	"testing"
	"time"
)

// TestAccAgentProviderToken_expired warns of an expired token, and sends another one with a new version.
func TestAccAgentProviderToken_expired(t *testing.T) {
	t.Parallel()
	d := drive(t, calendar(t))
	hour := tokenConfig(object{"expires_in_seconds": 3600})
	d.Make(hour)
	d.Plane.Clock.Advance(2 * time.Hour)
	planned, told := d.Plan(hour)
	contains(t, told, "WARNING: Token has expired", "tokens_wo_version", "renew")
	if !planned.Empty() || d.sent() != 1 {
		t.Errorf("%d tokens sent, and the plan: %s", d.sent(), planned)
	}
	d.Make(tokenConfig(object{"expires_in_seconds": 3600, "tokens_wo_version": 2}))
	if d.sent() != 2 {
		t.Errorf("%d tokens sent, want 2", d.sent())
	}
	if planned, told = d.Plan(tokenConfig(object{"expires_in_seconds": 3600, "tokens_wo_version": 2})); told != "" || !planned.Empty() {
		t.Errorf("the next plan: %s %s", planned, told)
	}
}

// TestAccAgentProviderToken_renew sends the configured tokens when the stored one has expired, and not before.
func TestAccAgentProviderToken_renew(t *testing.T) {
	t.Parallel()
	d := drive(t, calendar(t))
	d.Make(tokenConfig(object{"expires_in_seconds": 3600}))
	renewed := tokenConfig(object{"expires_in_seconds": 3600, "renew": true})
	d.Make(renewed)
	if d.sent() != 1 {
		t.Errorf("%d tokens sent before the expiry, want 1", d.sent())
	}
	d.Plane.Clock.Advance(2 * time.Hour)
	before := d.Text("expires_at")
	d.Make(renewed)
	if d.sent() != 2 || d.Text("expires_at") == before {
		t.Errorf("%d tokens sent, expires_at %s; want 2 and a later one", d.sent(), d.Text("expires_at"))
	}
	if planned, told := d.Plan(renewed); told != "" || !planned.Empty() {
		t.Errorf("the next plan: %s %s", planned, told)
	}
}

// TestAccAgentProviderToken_staleScopes doesn't send a token that is not new with a fresh lifetime.
func TestAccAgentProviderToken_staleScopes(t *testing.T) {
	t.Parallel()
	d := drive(t, calendar(t))
	d.Make(tokenConfig(object{"expires_in_seconds": 3600}))
	for name, more := range map[string]object{
		"scopes":                 {"expires_in_seconds": 3600, "scopes": []string{"read"}},
		"provider_account_label": {"expires_in_seconds": 3600, "provider_account_label": "bot"},
		"expires_in_seconds":     {"expires_in_seconds": 7200},
	} {
		_, told := d.Plan(tokenConfig(more))
		contains(t, told, `ERROR: New version required at AttributeName("`+name+`")`, "increase tokens_wo_version")
		more["tokens_wo_version"] = 2
		if planned, told := d.Plan(tokenConfig(more)); told != "" || planned.Empty() {
			t.Errorf("%s with a new version: %s %s", name, planned, told)
		}
	}
	if d.sent() != 1 {
		t.Errorf("%d tokens sent, want 1", d.sent())
	}
}
