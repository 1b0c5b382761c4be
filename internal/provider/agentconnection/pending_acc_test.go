package agentconnection_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// byProvider is a connection to the user's token of a provider.
var byProvider = object{"agent_id": "helper", "provider_id": "calendar"}

// followed is a connection at one address, as the runs of Terraform leave it.
type followed struct {
	*providertest.Followed
	t     *testing.T
	plane *providertest.Plane
}

func follow(t *testing.T, plane *providertest.Plane) *followed {
	t.Helper()
	return &followed{plane.Follow(t, "agentplane_agent_connection"), t, plane}
}

// apply plans a configuration, after a refresh or not, applies the plan, and reports whether it had changes.
func (d *followed) apply(refresh bool, config object) bool {
	d.t.Helper()
	d.Diags = nil
	if refresh {
		d.Refresh()
	}
	before := d.Diags
	changes := d.Apply(config)
	d.Diags = append(before, d.Diags...)
	return changes
}

// expect expects a status, with the IDs that it implies, and text among the diagnostics unless it is empty.
func (d *followed) expect(when, status, told string) {
	d.t.Helper()
	has := d.Attributes()
	if has["status"] != status || (has["id"] != nil) != (status == "connected") || status == "connected" && d.token() == nil {
		d.t.Errorf("%s: %v, want a connection that is %s", when, has, status)
	}
	if all := providertest.Told(d.Diags); told == "" && all != "" || !strings.Contains(all, told) {
		d.t.Errorf("%s: told %q, want %q", when, all, told)
	}
}

// token returns the ID of the token that the connection has; nil if there is none.
func (d *followed) token() any {
	resolved, _ := d.Attributes()["resolved"].(map[string]any)
	return resolved["oauth_token_id"]
}

// logOut deletes the user's tokens.
func logOut(plane *providertest.Plane) {
	plane.Call("DELETE", "/v2/auth/tokens?provider_id=calendar", nil, nil)
}

// TestAccAgentConnection_pending logs in, out and in again, with every plan made after a refresh or without one, and destroys the
// connection in each situation.
func TestAccAgentConnection_pending(t *testing.T) {
	t.Parallel()
	for _, refresh := range []bool{true, false} {
		for ends := range 5 {
			t.Run(fmt.Sprintf("refresh=%t/destroyed after step %d", refresh, ends), func(t *testing.T) {
				t.Parallel()
				d := follow(t, calendar(t))
				steps := []func(){
					func() {
						d.apply(refresh, byProvider)
						d.expect("before the login", "pending", `no token of OAuth provider "calendar"`)
						if d.token() != nil || d.apply(refresh, byProvider) {
							t.Errorf("pending alone plans something, or has a token: %v", d.Attributes())
						}
					},
					func() {
						imported(d.plane)
						if changes := d.apply(refresh, byProvider); changes != refresh {
							t.Errorf("after the login, the plan has changes: %t", changes)
						}
						if !refresh {
							d.expect("without a refresh", "pending", "")
							d.Refresh()
							d.apply(false, byProvider)
						}
						d.expect("after the login", "connected", "")
					},
					func() {
						logOut(d.plane)
						d.plane.Clock.Advance(providertest.Unseen)
						if d.apply(refresh, byProvider) {
							t.Error("after the logout, the plan has changes")
						}
						if refresh {
							d.expect("after the logout", "pending", "is no longer connected")
						}
					},
					func() {
						id := imported(d.plane)
						if changes := d.apply(refresh, byProvider); changes != refresh {
							t.Errorf("after the second login, the plan has changes: %t", changes)
						}
						if refresh {
							d.expect("after the second login", "connected", "")
							if got := d.token(); got != id {
								t.Errorf("connected to the token %v, want the new one, %s", got, id)
							}
						}
					},
				}
				for _, step := range steps[:min(ends, len(steps))] {
					step()
				}
				d.apply(refresh, nil)
				if left := connections(d.plane, "helper"); d.Attributes() != nil || len(left) > 0 && (refresh || ends < 4) {
					t.Errorf("the state has %v, and the service %v after the destroy", d.Attributes(), left)
				}
			})
		}
	}
}

// TestAccAgentConnection_pendingChanges changes a connection while it is pending: nothing that was null is expected to stay.
func TestAccAgentConnection_pendingChanges(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		config object
		status string
	}{
		"agent":          {object{"agent_id": "other", "provider_id": "calendar"}, "connected"},
		"label":          {object{"agent_id": "helper", "provider_id": "calendar", "provider_account_label": "work"}, "connected"},
		"label of none":  {object{"agent_id": "helper", "provider_id": "calendar", "provider_account_label": "home"}, "pending"},
		"provider":       {object{"agent_id": "helper", "provider_id": "mail"}, "pending"},
		"token":          {object{"agent_id": "helper"}, "connected"},
		"nothing at all": {byProvider, "connected"},
	} {
		for _, refresh := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/refresh=%t", name, refresh), func(t *testing.T) {
				t.Parallel()
				d := follow(t, calendar(t))
				d.apply(true, byProvider)
				id := imported(d.plane)
				d.plane.Call("PATCH", "/v2/auth/tokens/"+id+"/metadata", object{"provider_account_label": "work"}, nil)
				config, status := test.config, test.status
				if config["provider_id"] == nil {
					config = object{"agent_id": "helper", "oauth_token_id": id}
				}
				if changed := d.apply(refresh, config); !changed && !refresh && name == "nothing at all" {
					status = "pending"
				}
				d.Diags = nil
				d.expect("after the change", status, "")
				if status == "connected" && d.apply(true, config) {
					t.Error("the next plan isn't empty")
				}
				d.apply(true, nil)
			})
		}
	}
}

// TestAccAgentConnection_revokedMeanwhile: the token is deleted between the plan and the apply, which then ends pending, with a warning.
func TestAccAgentConnection_revokedMeanwhile(t *testing.T) {
	t.Parallel()
	d := follow(t, calendar(t))
	d.apply(true, byProvider)
	imported(d.plane)
	d.Refresh()
	d.Apply(byProvider, func() { logOut(d.plane) })
	d.expect("after the apply", "pending", `no token of OAuth provider "calendar"`)
}

// TestAccAgentConnection_revokedDuring: the token is deleted after the apply has found it. What remains to be done is to plan again.
func TestAccAgentConnection_revokedDuring(t *testing.T) {
	t.Parallel()
	d := providertest.NewDev(t)
	provide(d)
	imported(d)
	driven := d.Drive(t, "agentplane_agent_connection")
	planned, _ := driven.Plan(byProvider)
	d.Interrupt("POST /v2/auth/agents/*/connections", func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
		logOut(d)
		pass.ServeHTTP(w, r)
	})(1)
	told := driven.Apply(planned)
	contains(t, told, "Status: 404", "The user's token was deleted meanwhile. Plan again.")
	if strings.Contains(told, "Check oauth_token_id") {
		t.Errorf("told %s, which names an argument that isn't set", told)
	}
}

// TestAccAgentConnection_madeByLogin takes over the connection that a login has made: a creation with a warning, because another
// resource may have it, and a refresh of a pending connection silently.
func TestAccAgentConnection_madeByLogin(t *testing.T) {
	t.Parallel()
	d := follow(t, calendar(t))
	login := func() {
		d.plane.Call("POST", "/v2/auth/agents/helper/connections", object{"oauth_token_id": imported(d.plane)}, nil)
	}
	login()
	d.apply(true, byProvider)
	d.expect("after the creation", "connected", "was already connected")
	logOut(d.plane)
	d.plane.Clock.Advance(providertest.Unseen)
	d.apply(true, byProvider)
	d.expect("after the logout", "pending", "is no longer connected")
	login()
	if d.apply(true, byProvider) {
		t.Error("the plan has changes, though the login has connected the agent")
	}
	d.expect("after the second login", "connected", "")
	d.apply(true, nil)
	if left := connections(d.plane, "helper"); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}

// TestAccAgentConnection_stateBefore plans a state of the version before, which has no status.
func TestAccAgentConnection_stateBefore(t *testing.T) {
	t.Parallel()
	d := follow(t, calendar(t))
	config := object{"agent_id": "helper", "oauth_token_id": imported(d.plane)}
	d.apply(true, config)
	before := d.Attributes()
	before["status"] = nil
	d.plane.RPC().PlansEmpty("agentplane_agent_connection", before, config)
	d.apply(true, nil)
}

// TestAccAgentConnection_disconnected repairs a connection that another user has removed, while the user has a token.
func TestAccAgentConnection_disconnected(t *testing.T) {
	t.Parallel()
	d := follow(t, calendar(t))
	imported(d.plane)
	d.apply(true, byProvider)
	id := d.Attributes()["id"]
	d.plane.Call("DELETE", fmt.Sprint("/v2/auth/agents/helper/connections/", id), nil, nil)
	d.plane.Clock.Advance(providertest.Unseen)
	if !d.apply(true, byProvider) {
		t.Error("nothing is planned")
	}
	d.expect("after the repair", "connected", fmt.Sprintf("Connection %s was removed. The next apply connects the agent again.", id))
	if told := providertest.Told(d.Diags); strings.Contains(told, "logged out") {
		t.Errorf("the user has a token, but is told: %s", told)
	}
	if d.Attributes()["id"] == id {
		t.Error("the old connection is still in the state")
	}
}

// TestAccAgentConnection_reconnected finds the connection of a second login between two refreshes, and doesn't call it pending.
func TestAccAgentConnection_reconnected(t *testing.T) {
	t.Parallel()
	d := follow(t, calendar(t))
	imported(d.plane)
	d.apply(true, byProvider)
	logOut(d.plane)
	var made struct{ ID string }
	d.plane.Call("POST", "/v2/auth/agents/helper/connections", object{"oauth_token_id": imported(d.plane)}, &made)
	d.plane.Clock.Advance(providertest.Unseen)
	if d.apply(true, byProvider) || d.Attributes()["id"] != made.ID {
		t.Errorf("the plan has changes, or the state has %v, want connection %s", d.Attributes(), made.ID)
	}
	d.expect("after the second login", "connected", "")
}

// TestAccAgentConnection_forms changes from one form to the other, which replaces nothing while the token stays, and is recorded: after
// a logout, the connection is pending.
func TestAccAgentConnection_forms(t *testing.T) {
	t.Parallel()
	d := follow(t, calendar(t))
	byToken := object{"agent_id": "helper", "oauth_token_id": imported(d.plane)}
	d.apply(true, byToken)
	id := d.Attributes()["id"]
	for _, config := range []object{byProvider, byToken, byProvider} {
		if !d.apply(true, config) || d.Attributes()["id"] != id {
			t.Errorf("%v wasn't recorded, or the connection was replaced: %v", config, d.Attributes())
		}
		if d.apply(true, config) {
			t.Errorf("the plan after %v isn't empty", config)
		}
	}
	if posts := d.plane.Requests("POST", "/v2/auth/agents/*/connections"); len(posts) != 1 {
		t.Errorf("%d connections were made, want one", len(posts))
	}
	logOut(d.plane)
	d.plane.Clock.Advance(providertest.Unseen)
	d.Refresh()
	if d.Attributes()["status"] != "pending" {
		t.Errorf("after the logout, the state has %v", d.Attributes())
	}
}

// TestAccAgentConnection_imports imports a connection by its provider, before and after the login.
func TestAccAgentConnection_imports(t *testing.T) {
	t.Parallel()
	d := follow(t, calendar(t))
	load := func(id string) {
		if !d.Import(id) {
			t.Errorf("%q can't be imported: %s", id, providertest.Told(d.Diags))
		}
	}
	load("helper/provider:calendar")
	d.expect("before the login", "pending", "")
	if d.apply(true, byProvider) {
		t.Error("the plan after the import isn't empty")
	}
	d.plane.Call("POST", "/v2/auth/agents/helper/connections", object{"oauth_token_id": imported(d.plane)}, nil)
	for _, id := range []string{"helper/provider:calendar", providertest.WorkspaceID + "/helper/provider:calendar"} {
		load(id)
		d.expect(id, "connected", "")
		if d.apply(true, byProvider) {
			t.Error("the plan after the import isn't empty")
		}
	}
	for _, id := range []string{"helper/provider:", "/provider:calendar", "provider:calendar", "helper/provider:a/b"} {
		if d.Import(id) {
			t.Errorf("%q was imported", id)
		}
	}
}

// TestAccAgentConnection_tokensUnread: a refresh that can't look for a token warns, and a destroy isn't blocked.
func TestAccAgentConnection_tokensUnread(t *testing.T) {
	t.Parallel()
	d := follow(t, calendar(t))
	d.apply(true, byProvider)
	d.plane.Arm(devserver.Fault{Match: "GET /v2/auth/tokens", Status: 403, Times: 100})()
	d.apply(true, byProvider)
	d.expect("without access to the tokens", "pending", "Cannot look for a token")
	if d.apply(true, nil); d.Attributes() != nil {
		t.Errorf("the state has %v after the destroy", d.Attributes())
	}
}

// TestAccAgentConnection_renamed changes the address of a connection without a moved block: the new address takes the connection over, or
// makes it again, and the old one doesn't remove it after that.
func TestAccAgentConnection_renamed(t *testing.T) {
	t.Parallel()
	plane := calendar(t)
	imported(plane)
	renamed := func(name string) resource.TestStep {
		return resource.TestStep{Config: fmt.Sprintf("resource \"agentplane_agent_connection\" %q {\n  agent_id    = \"helper\"\n"+
			"  provider_id = \"calendar\"\n}\n", name), Check: func(*terraform.State) error {
			if left := connections(plane, "helper"); len(left) != 1 {
				return fmt.Errorf("the connections are %v, want one", left)
			}
			return nil
		}}
	}
	run(t, plane, renamed("a"), renamed("b"), renamed("a"), renamed("c"))
}
