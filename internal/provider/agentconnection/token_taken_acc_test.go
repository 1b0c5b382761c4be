package agentconnection_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccAgentProviderToken_taken keeps a token that was stored by hand: the plan warns, and the apply waits and then refuses.
func TestAccAgentProviderToken_taken(t *testing.T) {
	t.Parallel()
	d := drive(t, calendar(t))
	theirs := byHand(d.Plane, "calendar", nil)
	planned, told := d.Plan(tokenConfig(nil))
	contains(t, told, "WARNING: Agent has a token already", theirs, "If this resource is tainted")
	start := d.Plane.Clock.Now()
	contains(t, d.Apply(planned), `ERROR: Cannot store a token of agent "helper"`, theirs, "`moved` block", `import { to = ADDRESS id = "helper/`+theirs+`" }`)
	if d.State.Exists() || d.sent() != 1 {
		t.Errorf("in state: %t, %d tokens sent; want only the one by hand", d.State.Exists(), d.sent())
	}
	if waited := d.Plane.Clock.Now().Sub(start); waited < 30e9 || waited > 60e9 {
		t.Errorf("it waited for %s, want 30 s", waited)
	}
	other, told := d.Plan(tokenConfig(object{"provider_id": "mail"}))
	if told += d.Apply(other); told != "" || !d.State.Exists() {
		t.Errorf("the token of another provider: %s", told)
	}
	_, told = d.Plan(tokenConfig(nil))
	contains(t, told, "ERROR: Agent has a token already", theirs, "two applies")
}

// TestAccAgentProviderToken_users tells the agent's own token from the user's, which the same list has.
func TestAccAgentProviderToken_users(t *testing.T) {
	t.Parallel()
	d := drive(t, calendar(t))
	var made object
	d.Plane.Call("POST", "/v2/auth/agents/helper/connections", object{"oauth_token_id": imported(d.Plane)}, &made)
	users := fmt.Sprint(made["id"])
	d.Make(tokenConfig(nil))
	own := d.Text("id")
	d.Refresh()
	if d.Text("id") != own || own == users {
		t.Errorf("in state: %s, want %s", d.Text("id"), own)
	}
	told, _ := d.Import("helper/" + users)
	contains(t, told, "ERROR: Not a token of the agent", "agentplane_agent_connection", users)
	if told, ok := d.Import("helper/" + own); !ok {
		t.Errorf("the agent's own token isn't imported: %s", told)
	}
}

// TestAccAgentProviderToken_appears stores the token when another one disappears while it waits.
func TestAccAgentProviderToken_appears(t *testing.T) {
	t.Parallel()
	d := drive(t, calendar(t))
	theirs := byHand(d.Plane, "calendar", nil)
	planned, _ := d.Plan(tokenConfig(nil))
	d.Plane.Call("DELETE", "/v2/auth/agents/helper/connections/"+theirs, nil, nil)
	if told := d.Apply(planned); told != "" || d.Text("id") == theirs {
		t.Errorf("state has %s: %s", d.Text("id"), told)
	}
}

// TestAccAgentProviderToken_lostUnread names the token whose reply was lost if it isn't known whether it belongs to the user.
func TestAccAgentProviderToken_lostUnread(t *testing.T) {
	t.Parallel()
	d := drive(t, calendar(t))
	planned, _ := d.Plan(tokenConfig(nil))
	d.Plane.Interrupt("POST "+upserts, providertest.LostReplies["502"])(1)
	d.Plane.Arm(devserver.Fault{Match: usersTokens, Status: 403, Detail: "Not yours", Times: 100})()
	told := d.Apply(planned)
	contains(t, told, "Not yours. Status: 403", `import { to = ADDRESS id = "helper/`+fmt.Sprint(connections(d.Plane, "helper")[0]["id"])+`" }`)
	if d.State.Exists() {
		t.Error("the state has a token that may be the user's")
	}
}

// TestAccAgentProviderToken_deletedMeanwhile refuses to update a token that was deleted after the plan, and keeps the one that was
// stored in its place.
func TestAccAgentProviderToken_deletedMeanwhile(t *testing.T) {
	t.Parallel()
	for name, again := range map[string]bool{"deleted": false, "stored again": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := drive(t, calendar(t))
			d.Make(tokenConfig(nil))
			changed := tokenConfig(object{"tokens_wo_version": 2})
			planned, _ := d.Plan(changed)
			d.Plane.Call("DELETE", "/v2/auth/agents/helper/connections/"+d.Text("id"), nil, nil)
			before := d.sent()
			if again {
				byHand(d.Plane, "calendar", nil)
				before++
			}
			contains(t, d.Apply(planned), "it was deleted after this plan. Plan again.")
			if d.sent() != before {
				t.Errorf("%d tokens were sent after the deletion, want none", d.sent()-before)
			}
			if _, told := d.Plan(changed); again {
				contains(t, told, "Agent has a token already")
			}
		})
	}
}

// TestAccAgentProviderToken_deletesOnlyItsOwn keeps what has the ID in the state but was created at another time.
func TestAccAgentProviderToken_deletesOnlyItsOwn(t *testing.T) {
	t.Parallel()
	d := drive(t, calendar(t))
	d.Make(tokenConfig(nil))
	copied, err := d.State.Copy(replacer(d.Text("created_at"), earlier(d.Text("created_at"))))
	if err != nil {
		t.Fatal(err)
	}
	d.State = copied
	gone, _ := d.PlanOnly(nil)
	contains(t, d.Apply(gone), "WARNING: Token is kept")
	if left := connections(d.Plane, "helper"); len(left) != 1 {
		t.Errorf("left: %v, want the token that was written later", left)
	}
}

func tokens(plane *providertest.Plane, want int) resource.TestCheckFunc {
	return func(*terraform.State) error {
		if has := connections(plane, "helper"); len(has) != want {
			return fmt.Errorf("the agent has %v, want %d tokens", has, want)
		}
		return nil
	}
}

func block(name string) resource.TestStep {
	return step("tokens", config.Variables{"blocks": text(name)})
}

// TestAccAgentProviderToken_renamed ends with one token, after the address of a block has changed. The deletion takes longer than the
// creation would.
func TestAccAgentProviderToken_renamed(t *testing.T) {
	t.Parallel()
	plane := calendar(t)
	one, two := block("one"), block("two")
	one.Check, two.Check = tokens(plane, 1), tokens(plane, 1)
	two.PreConfig = plane.Arm(devserver.Fault{Match: "DELETE /v2/auth/agents/{agent_id}/connections/{connection_id}", LatencyMS: 300})
	terraforms(t, plane, one, two)
}

// TestAccAgentProviderToken_twice refuses the second claimant of a key.
func TestAccAgentProviderToken_twice(t *testing.T) {
	t.Parallel()
	plane := calendar(t)
	both := block("both")
	both.ExpectError = providertest.Words(`This plan stores two tokens of agent "helper" for OAuth provider "calendar"`)
	terraforms(t, plane, both)
}

// TestAccAgentProviderToken_createBeforeDestroy refuses to store the second token, and keeps the first.
func TestAccAgentProviderToken_createBeforeDestroy(t *testing.T) {
	t.Parallel()
	plane := calendar(t)
	first, second := block("replaced"), block("replaced")
	second.ConfigVariables["generation"] = config.IntegerVariable(2)
	second.ExpectError = providertest.Words("Otherwise choose another provider_id, or remove create_before_destroy from a replacement.")
	kept := block("replaced")
	kept.ConfigVariables, kept.Check = second.ConfigVariables, tokens(plane, 1)
	terraforms(t, plane, first, second, kept)
}
