package agentconnection_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccAgentConnection_statesBefore plans states of the version before, which had what the service resolves in the arguments: nothing after
// a refresh, and without one nothing that sends a request or replaces the connection.
func TestAccAgentConnection_statesBefore(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		config    object
		connected bool
	}{
		"by token":    {object{"agent_id": "helper"}, true},
		"by provider": {byProvider, true},
		"by label":    {object{"agent_id": "helper", "provider_id": "calendar", "provider_account_label": "work"}, true},
		"pending":     {byProvider, false},
	} {
		for _, refresh := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/refresh=%t", name, refresh), func(t *testing.T) {
				t.Parallel()
				plane := calendar(t)
				d, config := follow(t, plane), test.config
				if test.connected {
					id := imported(plane)
					plane.Call("PATCH", "/v2/auth/tokens/"+id+"/metadata", object{"provider_account_label": "work"}, nil)
					if config["provider_id"] == nil {
						config = object{"agent_id": "helper", "oauth_token_id": id}
					}
				}
				d.apply(true, config)
				before := d.before()
				sent := len(plane.Requests("*", "/v2/**"))
				changes := d.apply(refresh, config)
				if refresh && changes {
					t.Error("the plan has changes after a refresh")
				}
				if sent = len(plane.Requests("*", "/v2/**")) - sent; !refresh && sent > 0 {
					t.Errorf("%d requests were sent without a refresh", sent)
				}
				if now := d.Attributes(); now["id"] != before["id"] || now["provider_id"] != config["provider_id"] || now["oauth_token_id"] != config["oauth_token_id"] ||
					test.connected && d.token() == nil {
					t.Errorf("the state has %v, after %v", now, before)
				}
				if d.apply(true, config) {
					t.Error("the next plan has changes")
				}
			})
		}
	}
}

// before makes the state one of the version before, and returns it.
func (d *followed) before() object {
	d.t.Helper()
	resolved, _ := d.Attributes()["resolved"].(object)
	quoted := func(value any) string {
		if value == nil {
			return "null"
		}
		return fmt.Sprintf("%q", value)
	}
	var replace []string
	if resolved != nil {
		replace = append(replace, fmt.Sprintf(`"resolved":{"oauth_token_id":%s,"provider_account_label":%s,"provider_id":%s}`,
			quoted(resolved["oauth_token_id"]), quoted(resolved["provider_account_label"]), quoted(resolved["provider_id"])), `"resolved":null`)
		for name, value := range resolved {
			replace = append(replace, fmt.Sprintf(`%q:null`, name), fmt.Sprintf(`%q:%s`, name, quoted(value)))
		}
	}
	state, err := d.State.Copy(strings.NewReplacer(replace...))
	if err != nil {
		d.t.Fatal(err)
	}
	d.State = state
	before := d.Attributes()
	if before["resolved"] != nil || resolved != nil && (before["oauth_token_id"] == nil || before["provider_id"] == nil) {
		d.t.Fatalf("%v is not a state of the version before", before)
	}
	return before
}

// TestAccAgentConnection_unresolved changes an argument to another known value: that replaces the connection, and an argument that is omitted
// doesn't.
func TestAccAgentConnection_unresolved(t *testing.T) {
	t.Parallel()
	d := follow(t, calendar(t))
	id := imported(d.plane)
	d.apply(true, byProvider)
	first := d.Attributes()["id"]
	d.apply(true, object{"agent_id": "helper", "oauth_token_id": id})
	if d.Attributes()["id"] != first {
		t.Error("the form with oauth_token_id has replaced the connection to the same token")
	}
	d.apply(true, object{"agent_id": "helper", "provider_id": "mail"})
	if told := providertest.Told(d.Diags); d.Attributes()["id"] == first || d.Attributes()["status"] != "pending" {
		t.Errorf("the state has %v after a change to another OAuth provider: %s", d.Attributes(), told)
	}
}
