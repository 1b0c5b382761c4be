package oauthtoken_test

import (
	"strings"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccOAuthToken_expired plans a token that has expired with a warning, after a refresh and without one, and with the time that the
// service tells.
func TestAccOAuthToken_expired(t *testing.T) {
	t.Parallel()
	plane := calendar(t)
	d := plane.Follow(t, "agentplane_oauth_token")
	config := object{"provider_id": "calendar", "access_token_wo": secret, "expires_in_seconds": 60}
	d.Apply(config)
	plane.Clock.Advance(2 * time.Minute)
	for _, refresh := range []bool{false, true} {
		if refresh {
			d.Refresh()
		}
		if d.Apply(config) {
			t.Errorf("refresh=%t: the plan has changes", refresh)
		}
		if told := providertest.Told(d.Diags); !strings.Contains(told, "has expired") {
			t.Errorf("refresh=%t: told %q, with the state %v", refresh, told, d.Attributes())
		}
	}
}

// TestAccOAuthToken_noProvider plans a token of an OAuth provider that doesn't exist with a warning, and a replacement by one with an error.
func TestAccOAuthToken_noProvider(t *testing.T) {
	t.Parallel()
	d := calendar(t).Drive(t, "agentplane_oauth_token")
	config := object{"provider_id": "unheard-of", "access_token_wo": secret}
	planned, told := d.PlanOnly(config)
	if !strings.Contains(told, "WARNING: Unknown OAuth provider") || !strings.Contains(told, `No OAuth provider "unheard-of"`) {
		t.Errorf("told %s", told)
	}
	if told := d.Apply(planned); !strings.Contains(told, "Check provider_id") || strings.Contains(told, "unknown") {
		t.Errorf("told %s, want a refusal that leaves nothing open", told)
	}
	d.Make(object{"provider_id": "calendar", "access_token_wo": secret})
	if _, told = d.PlanOnly(config); !strings.Contains(told, "ERROR: Unknown OAuth provider") || !strings.Contains(told, "would be destroyed") {
		t.Errorf("told %s", told)
	}
}
