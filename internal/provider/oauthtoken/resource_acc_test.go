package oauthtoken_test

import (
	"fmt"
	"maps"
	"net/http"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

const (
	typeName = "agentplane_oauth_token"
	token    = typeName + ".test"
	// storing, labelling, deleting and listing match requests.
	storing   = "POST /v2/auth/tokens/import"
	labelling = "PATCH /v2/auth/tokens/{token_id}/metadata"
	deleting  = "DELETE /v2/auth/tokens/{token_id}"
	listing   = "GET /v2/auth/tokens"
)

func text(value string) config.Variable { return config.StringVariable(value) }

// step applies testdata/token with other values of its variables.
func step(variables config.Variables, checks ...plancheck.PlanCheck) resource.TestStep {
	s := resource.TestStep{ConfigDirectory: config.StaticDirectory("testdata/token"), ConfigVariables: config.Variables{}}
	maps.Copy(s.ConfigVariables, variables)
	s.ConfigPlanChecks.PreApply = checks
	return s
}

func does(action plancheck.ResourceActionType) plancheck.PlanCheck {
	return plancheck.ExpectResourceAction(token, action)
}

var writeOnly = []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_11_0)}

func run(t *testing.T, plane *providertest.Plane, steps ...resource.TestStep) {
	t.Helper()
	providertest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: plane.Factories(), TerraformVersionChecks: writeOnly, Steps: steps,
		CheckDestroy: func(*terraform.State) error {
			if left := tokens(plane); len(left) > 0 {
				return fmt.Errorf("%d tokens are left", len(left))
			}
			return nil
		},
	})
}

func tokens(plane *providertest.Plane) []object {
	var all []object
	plane.Call("GET", "/v2/auth/tokens", nil, &all)
	return all
}

// stored expects that so many tokens have been stored since the plane was started.
func stored(t *testing.T, plane *providertest.Plane, want int) resource.TestCheckFunc {
	t.Helper()
	return func(*terraform.State) error {
		if got := len(plane.Requests("POST", "/v2/auth/tokens/import")); got != want {
			t.Errorf("%d tokens were stored, want %d", got, want)
		}
		return nil
	}
}

// TestAccOAuthToken_changes replaces the token for what the service can't change, and only then.
func TestAccOAuthToken_changes(t *testing.T) {
	t.Parallel()
	plane := calendar(t)
	next := func(action plancheck.ResourceActionType, count int, variables config.Variables) resource.TestStep {
		s := step(variables, does(action))
		s.Check = stored(t, plane, count)
		return s
	}
	version := func(n int, access string) config.Variables {
		return config.Variables{"access_token": text(access), "tokens_version": config.IntegerVariable(n), "refresh_token": text("r")}
	}
	run(
		t, plane,
		next(plancheck.ResourceActionCreate, 1, config.Variables{"access_token": text("a")}),
		next(plancheck.ResourceActionNoop, 1, config.Variables{"access_token": text("a")}),
		next(plancheck.ResourceActionReplace, 2, config.Variables{"access_token": text("b")}),
		next(plancheck.ResourceActionReplace, 3, config.Variables{"access_token": text("b"), "refresh_token": text("r")}),
		next(plancheck.ResourceActionUpdate, 3, version(1, "b")), // Only the version is recorded.
		next(plancheck.ResourceActionNoop, 3, version(1, "c")),
		next(plancheck.ResourceActionReplace, 4, version(2, "c")),
		next(plancheck.ResourceActionReplace, 5, config.Variables{"access_token": text("d")}),
		next(plancheck.ResourceActionReplace, 6, version(2, "d")), // The refresh token is another one.
		next(plancheck.ResourceActionReplace, 7, config.Variables{"access_token": text("d"), "tokens_version": config.IntegerVariable(2), "refresh_token": text("r"), "expires_in_seconds": config.IntegerVariable(60)}),
		next(plancheck.ResourceActionReplace, 8, config.Variables{"access_token": text("d"), "tokens_version": config.IntegerVariable(3)}),
	)

}

// TestAccOAuthToken_imported records what can't be read, and replaces nothing.
func TestAccOAuthToken_imported(t *testing.T) {
	t.Parallel()
	plane := calendar(t)
	id := imported(plane, "theirs", 3600, "read")
	variables := config.Variables{
		"tokens_version": config.IntegerVariable(1), "expires_in_seconds": config.IntegerVariable(3600),
		"scopes": config.SetVariable(text("read")), "is_default": config.BoolVariable(true),
	}
	command := step(variables)
	command.ImportState, command.ImportStatePersist, command.ResourceName, command.ImportStateId = true, true, token, providertest.WorkspaceID+"/"+id
	recorded := step(variables, does(plancheck.ResourceActionUpdate))
	recorded.Check = stored(t, plane, 1)
	same := step(variables, does(plancheck.ResourceActionNoop))
	variables = maps.Clone(variables)
	variables["tokens_version"] = config.IntegerVariable(2)
	replaced := step(variables, does(plancheck.ResourceActionReplace))
	replaced.Check = stored(t, plane, 2)
	run(t, plane, command, recorded, same, replaced)
}

// TestAccOAuthToken_refused says why a token can't be stored, and what then exists.
func TestAccOAuthToken_refused(t *testing.T) {
	t.Parallel()
	plane := calendar(t)
	refused := func(variables config.Variables, want string, fault ...devserver.Fault) resource.TestStep {
		s := step(variables)
		s.ExpectError = providertest.Words(want)
		for _, f := range fault {
			s.PreConfig = plane.Arm(f)
		}
		return s
	}
	run(
		t, plane,
		refused(config.Variables{"provider_id": text("none")}, `Check provider_id`),
		refused(nil, `the response has no token_id`, devserver.Fault{Match: storing, Body: new(`{}`), Swallow: true}),
		refused(nil, `look at the data source agentplane_oauth_tokens before the next one`, devserver.Fault{Match: storing, DropBefore: true}),
	)
}

// TestAccOAuthToken_unlabelled keeps a token whose label can't be set, with a warning, and sets it in the next apply.
func TestAccOAuthToken_unlabelled(t *testing.T) {
	t.Parallel()
	plane := calendar(t)
	label := config.Variables{"label": text("bot")}
	first := step(label)
	first.PreConfig, first.ExpectNonEmptyPlan = plane.Arm(devserver.Fault{Match: labelling, Status: 403, Detail: "No access"}), true
	second := step(label, does(plancheck.ResourceActionUpdate))
	second.Check = stored(t, plane, 1)
	run(t, plane, first, second)
}

// TestAccOAuthToken_notOurs doesn't adopt a token that the user got elsewhere while the reply was lost, nor one that existed.
func TestAccOAuthToken_notOurs(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		meanwhile func(plane *providertest.Plane)
		answer    string
		want      string
	}{
		"others' scopes": {func(plane *providertest.Plane) { imported(plane, "theirs", 3600, "read") }, "", "it differs in expires_in_seconds"},
		"overwritten":    {nil, "existing", "which existed before and has lost its former value"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plane := calendar(t)
			existing := imported(plane, "theirs", 3600)
			before := len(tokens(plane))
			arm := plane.Interrupt("POST /v2/auth/tokens/import", func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
				if test.answer == "" {
					test.meanwhile(plane)
					panic(http.ErrAbortHandler)
				}
				w.Header().Set("Content-Type", "application/json")
				_, _ = fmt.Fprintf(w, `{"token_id": %q}`, existing)
			})
			s := step(nil)
			s.PreConfig, s.ExpectError = func() { arm(1) }, providertest.Words(test.want)
			providertest.Test(t, resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), TerraformVersionChecks: writeOnly, Steps: []resource.TestStep{s}})
			if left := len(tokens(plane)); left < before {
				t.Errorf("%d tokens are left of %d: one was deleted that isn't ours", left, before)
			}
		})
	}
}

// TestAccOAuthToken_importTwice doesn't choose among tokens of a label.
func TestAccOAuthToken_importTwice(t *testing.T) {
	t.Parallel()
	plane := calendar(t)
	for range 2 {
		id := imported(plane, "theirs", 3600)
		plane.Call("PATCH", "/v2/auth/tokens/"+id+"/metadata", object{"provider_account_label": "twice"}, nil)
	}
	s := step(nil)
	s.ImportState, s.ResourceName, s.ImportStateId = true, token, "name:twice"
	s.ExpectError = providertest.Words(`2 OAuth tokens of the workspace have the provider_account_label "twice"`)
	providertest.Test(t, resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), TerraformVersionChecks: writeOnly, Steps: []resource.TestStep{s}})
}
