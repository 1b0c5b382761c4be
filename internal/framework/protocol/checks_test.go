package protocol_test

import (
	"context"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework/protocol"
)

// validating counts validations of resources.
type validating struct {
	protocol.FrameworkServer
	calls *int
}

func (v validating) ValidateResourceConfig(ctx context.Context, req *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	*v.calls++
	return v.FrameworkServer.ValidateResourceConfig(ctx, req)
}

// TestValidate_secret expects the error about invalid JSON not to quote it: it may contain secrets.
func TestValidate_secret(t *testing.T) {
	t.Parallel()
	s := start(t, &fake{}, false)
	validated, err := s.ValidateResourceConfig(t.Context(), &tfprotov6.ValidateResourceConfigRequest{
		TypeName: "fake_thing", Config: encoded(t, s.types["fake_thing"], configured.with(attributes{"json": `{"a": "canary`})),
	})
	if err != nil {
		t.Fatal(err)
	}
	if diags := validated.Diagnostics; len(diags) != 1 || diags[0].Detail != "json is not valid JSON (RFC 8259). Write it with jsonencode." {
		t.Errorf("diagnostics = %v, want one error without the value", diags)
	}
}

// TestCheckValues_once expects a configuration that was valid to be planned without another validation, until the provider is configured
// again, and one with diagnostics to be validated again.
func TestCheckValues_once(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		config       attributes
		reconfigured bool
		want         int
	}{
		"valid":            {configured, false, 1},
		"configured again": {configured, true, 2},
		"deprecated":       {configured.with(attributes{"old": "7"}), false, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, calls, memo := protocol.Wrap(&fake{}), 0, &framework.Memo{}
			complete, ok := providerserver.NewProtocol6(p)().(protocol.FrameworkServer)
			if !ok {
				t.Fatal("the framework's server doesn't implement all interfaces")
			}
			server := protocol.NewServer(p, validating{complete, &calls}, protocol.Options{Memo: func() *framework.Memo { return memo }})
			schemas, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
			if err != nil {
				t.Fatal(err)
			}
			thing := schemas.ResourceSchemas["fake_thing"].ValueType()
			config := encoded(t, thing, test.config)
			if _, err := server.ValidateResourceConfig(t.Context(), &tfprotov6.ValidateResourceConfigRequest{TypeName: "fake_thing", Config: config}); err != nil {
				t.Fatal(err)
			}
			if test.reconfigured {
				memo = &framework.Memo{}
			}
			if _, err := server.PlanResourceChange(t.Context(), &tfprotov6.PlanResourceChangeRequest{
				TypeName: "fake_thing", PriorState: encoded(t, thing, nil), ProposedNewState: config, Config: config,
			}); err != nil {
				t.Fatal(err)
			}
			if calls != test.want {
				t.Errorf("the framework validated %d times, want %d", calls, test.want)
			}
		})
	}
}
