package oauthprovider_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

const secretSent = `PATCH {"client_secret": "***"}`

// TestAccOAuthProvider_secret follows a secret that is stored in the state, to its end in the write-only argument.
func TestAccOAuthProvider_secret(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	w := newWrites(plane)
	secret := func(value string, want plancheck.ResourceActionType, writes ...string) resource.TestStep {
		s := planned(step(args{"client_secret": text(value)}), action(want))
		s.ConfigStateChecks = []statecheck.StateCheck{is("client_secret", knownvalue.StringExact(value))}
		s.Check = w.Expect(writes...)
		return s
	}
	removed := planned(step(nil), action(plancheck.ResourceActionUpdate))
	removed.ConfigStateChecks = []statecheck.StateCheck{is("client_secret", knownvalue.Null())}
	removed.Check = w.Expect()
	moved := planned(step(args{"client_secret_wo": text("canary-2")}), action(plancheck.ResourceActionUpdate))
	moved.ConfigStateChecks = removed.ConfigStateChecks
	moved.Check = w.Expect()
	runWriteOnly(t, plane,
		secret("canary-1", plancheck.ResourceActionCreate, created(`{"client_secret": "***"}`)),
		secret("canary-2", plancheck.ResourceActionUpdate, secretSent),
		removed,
		secret("canary-2", plancheck.ResourceActionUpdate), // The service has it still.
		moved,
	)
}

// TestAccOAuthProvider_secretLeft removes a write-only secret: one update records the warning, and sends nothing.
func TestAccOAuthProvider_secretLeft(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	w := newWrites(plane)
	made := planned(step(args{"client_secret_wo": text("canary-1")}), action(plancheck.ResourceActionCreate))
	made.Check = w.Expect(created(`{"client_secret": "***"}`))
	removed := planned(step(nil), action(plancheck.ResourceActionUpdate))
	removed.Check = w.Expect()
	same := planned(step(nil), action(plancheck.ResourceActionNoop))
	runWriteOnly(t, plane, made, removed, same)
}

// TestAccOAuthProvider_secretWriteOnly finds changes of what is stored nowhere.
func TestAccOAuthProvider_secretWriteOnly(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	w := newWrites(plane)
	secret := func(value string, version int, want plancheck.ResourceActionType, writes ...string) resource.TestStep {
		arguments := args{"client_secret_wo": text(value)}
		if version > 0 {
			arguments["client_secret_wo_version"] = config.IntegerVariable(version)
		}
		s := planned(step(arguments), action(want))
		s.ConfigStateChecks = []statecheck.StateCheck{is("client_secret_wo", knownvalue.Null()), is("client_secret", knownvalue.Null())}
		s.Check = w.Expect(writes...)
		return s
	}
	runWriteOnly(t, plane,
		secret("canary-1", 0, plancheck.ResourceActionCreate, created(`{"client_secret": "***"}`)),
		secret("canary-1", 0, plancheck.ResourceActionNoop),
		secret("canary-2", 0, plancheck.ResourceActionUpdate, secretSent),
		secret("canary-2", 1, plancheck.ResourceActionUpdate), // The first version only records it.
		secret("canary-3", 1, plancheck.ResourceActionNoop),
		secret("canary-3", 2, plancheck.ResourceActionUpdate, secretSent),
		secret("canary-3", 0, plancheck.ResourceActionUpdate), // Without the version, what was sent last counts again.
		secret("canary-4", 3, plancheck.ResourceActionUpdate, secretSent),
	)
}

// TestAccOAuthProvider_secretMadeAnew sends the secret to a provider that another user has deleted and made again: nobody
// knows which secret that one has.
func TestAccOAuthProvider_secretMadeAnew(t *testing.T) {
	t.Parallel()
	for name, arguments := range map[string]args{
		"stored":                  {"client_secret": text("canary-1")},
		"write-only":              {"client_secret_wo": text("canary-1")},
		"write-only with version": {"client_secret_wo": text("canary-1"), "client_secret_wo_version": config.IntegerVariable(1)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t)
			w := newWrites(plane)
			first := step(arguments)
			first.Check = w.Expect(created(`{"client_secret": "***"}`))
			anew := planned(step(arguments), action(plancheck.ResourceActionUpdate))
			anew.PreConfig = func() {
				plane.Call("DELETE", path, nil, nil)
				made(plane, slug, nil)
				w.Pass(2)
			}
			anew.Check = w.Expect(secretSent)
			runWriteOnly(t, plane, first, anew, planned(step(arguments), action(plancheck.ResourceActionNoop)))
		})
	}
}

// TestAccOAuthProvider_secretRefused tries again what was refused, and repeats the secret in no error.
func TestAccOAuthProvider_secretRefused(t *testing.T) {
	t.Parallel()
	for name, argument := range map[string]string{"stored": "client_secret", "write-only": "client_secret_wo"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t)
			w := newWrites(plane)
			arguments := args{argument: text("canary-value")}
			fails := refused(arguments, "The secret *** is weak. Status: 400")
			fails.PreConfig = plane.Arm(devserver.Fault{
				Match: "PATCH /v2/auth/providers/{provider_id}", Status: 400, Detail: "The secret canary-value is weak.",
			})
			again := planned(step(arguments), action(plancheck.ResourceActionUpdate))
			again.Check = w.Expect(created(""), secretSent, secretSent)
			runWriteOnly(t, plane, step(nil), fails, again)
		})
	}
}

// TestAccOAuthProvider_secretMoved sends the secret along with another token endpoint or client: services needn't send a stored secret
// elsewhere because a request without it says so.
func TestAccOAuthProvider_secretMoved(t *testing.T) {
	t.Parallel()
	for name, secret := range map[string]args{
		"stored":                  {"client_secret": text("canary-1")},
		"write-only":              {"client_secret_wo": text("canary-1")},
		"write-only with version": {"client_secret_wo": text("canary-1"), "client_secret_wo_version": config.IntegerVariable(1)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t)
			w := newWrites(plane)
			with := func(want plancheck.ResourceActionType, writes string, more args) resource.TestStep {
				arguments := maps.Clone(secret)
				maps.Copy(arguments, more)
				s := planned(step(arguments), action(want))
				s.Check = w.Expect(writes)
				return s
			}
			elsewhere := args{"token_url": text("https://other.example.com/token")}
			runWriteOnly(t, plane,
				with(plancheck.ResourceActionCreate, created(`{"client_secret": "***"}`), nil),
				with(plancheck.ResourceActionUpdate, `PATCH {"name": "Calendars"}`, args{"name": text("Calendars")}),
				with(plancheck.ResourceActionUpdate,
					`PATCH {"name": "Calendar", "token_url": "https://other.example.com/token", "client_secret": "***"}`, elsewhere),
				with(plancheck.ResourceActionUpdate,
					`PATCH {"token_url": "https://login.example.com/token", "client_id": "client-2", "client_secret": "***"}`,
					args{"client_id": text("client-2")}),
			)
		})
	}
}

// TestAccOAuthProvider_secretMovedWithout moves a provider whose secret isn't configured.
func TestAccOAuthProvider_secretMovedWithout(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	moved := args{"token_url": text("https://other.example.com/token")}
	known := maps.Clone(moved)
	known["client_secret_wo"] = text("canary-1")
	runWriteOnly(t, plane,
		step(args{"client_secret_wo": text("canary-1")}),
		refused(moved, "a change of 'token_url' or 'client_id' must include the client secret"),
		refused(moved, "Set client_secret_wo or client_secret to the secret of the client"),
		step(known),
	)
}

// validated are the diagnostics of a configuration.
func validated(t *testing.T, more map[string]any) []*tfprotov6.Diagnostic {
	t.Helper()
	rpc := providertest.NewDev(t).RPC()
	arguments := map[string]any{
		"provider_id": slug, "name": "Calendar", "client_id": "client-1",
		"auth_url": "https://login.example.com/authorize", "token_url": "https://login.example.com/token",
	}
	maps.Copy(arguments, more)
	resp, err := rpc.Server.ValidateResourceConfig(t.Context(), &tfprotov6.ValidateResourceConfigRequest{
		TypeName: typeName, Config: rpc.Value(arguments),
		ClientCapabilities: &tfprotov6.ValidateResourceConfigClientCapabilities{WriteOnlyAttributesAllowed: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	return resp.Diagnostics
}

// TestAccOAuthProvider_secretUnused warns of a secret that nobody will ask for.
func TestAccOAuthProvider_secretUnused(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		arguments map[string]any
		warns     bool
	}{
		"none":                   {map[string]any{"token_endpoint_auth_method": "none"}, false},
		"none with a secret":     {map[string]any{"token_endpoint_auth_method": "none", "client_secret": "canary"}, true},
		"none with a write-only": {map[string]any{"token_endpoint_auth_method": "none", "client_secret_wo": "canary"}, true},
		"default with a secret":  {map[string]any{"client_secret": "canary"}, false},
		"basic with a secret":    {map[string]any{"token_endpoint_auth_method": "client_secret_basic", "client_secret": "canary"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			told := providertest.Told(validated(t, test.arguments))
			if strings.Contains(told, "WARNING: Client secret is not used") != test.warns || strings.Contains(told, "ERROR") {
				t.Errorf("warns: want %t, got %s", test.warns, told)
			}
		})
	}
}
