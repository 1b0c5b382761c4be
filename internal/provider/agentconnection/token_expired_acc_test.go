package agentconnection_test

import (
	"strings"
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

// TestAccAgentProviderToken_staleScopes doesn't send a token that is not new with a fresh lifetime: the plan warns, and the apply refuses.
func TestAccAgentProviderToken_staleScopes(t *testing.T) {
	t.Parallel()
	d := drive(t, calendar(t))
	d.Make(tokenConfig(object{"expires_in_seconds": 3600}))
	for name, more := range map[string]object{
		"scopes":                 {"expires_in_seconds": 3600, "scopes": []string{"read"}},
		"provider_account_label": {"expires_in_seconds": 3600, "provider_account_label": "bot"},
		"expires_in_seconds":     {"expires_in_seconds": 7200},
	} {
		planned, told := d.Plan(tokenConfig(more))
		contains(t, told, `WARNING: New version required at AttributeName("`+name+`")`, "increase tokens_wo_version")
		contains(t, d.Apply(planned), `ERROR: New version required at AttributeName("`+name+`")`, "increase tokens_wo_version")
		more["tokens_wo_version"] = 2
		if planned, told := d.Plan(tokenConfig(more)); told != "" || planned.Empty() {
			t.Errorf("%s with a new version: %s %s", name, planned, told)
		}
	}
	if d.sent() != 1 {
		t.Errorf("%d tokens sent, want 1", d.sent())
	}
	_, told := d.Plan(tokenConfig(object{"provider_account_label": "bot"}))
	contains(t, told, "expires_in_seconds would change from 3600 to no value", `provider_account_label would change from no value to "bot"`)
}

// TestAccAgentProviderToken_drifted plans and destroys a token that expires and that another user has changed.
func TestAccAgentProviderToken_drifted(t *testing.T) {
	t.Parallel()
	d := drive(t, calendar(t))
	hour := tokenConfig(object{"expires_in_seconds": 3600})
	d.Make(hour)
	byHand(d.Plane, "calendar", object{"scopes": []string{"read"}, "provider_account_label": "theirs", "expires_in_seconds": 3600})
	if planned, told := d.Plan(hour); planned.Empty() || strings.Contains(told, "ERROR: ") {
		t.Errorf("the plan: %s %s", planned, told)
	}
	destroyed, told := d.Plan(nil)
	if told += d.Apply(destroyed); strings.Contains(told, "ERROR: ") || len(connections(d.Plane, "helper")) > 0 {
		t.Errorf("%v is left: %s", connections(d.Plane, "helper"), told)
	}
}

// TestAccAgentProviderToken_importedExpiring only records the lifetime with the first version after an import: the token is there.
func TestAccAgentProviderToken_importedExpiring(t *testing.T) {
	t.Parallel()
	d := follow(t, calendar(t))
	d.Followed = d.plane.Follow(t, "agentplane_agent_provider_token")
	theirs := byHand(d.plane, "calendar", object{"expires_in_seconds": 3600})
	if !d.Import("helper/" + theirs) {
		t.Fatal("the token isn't imported")
	}
	expires := d.Attributes()["expires_at"]
	d.apply(true, tokenConfig(object{"expires_in_seconds": 7200}))
	if sent := len(d.plane.Requests("POST", upserts)); sent != 1 || d.Attributes()["expires_at"] != expires {
		t.Errorf("%d tokens sent, want 1; expires_at is %v, want %v", sent, d.Attributes()["expires_at"], expires)
	}
	if d.apply(true, tokenConfig(object{"expires_in_seconds": 7200})) {
		t.Error("the next plan has changes")
	}
}
