package direct

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// kind is a type of resource, with what the framework would compute in each call.
type kind struct {
	construct func() resource.Resource
	schema    schema.Schema
	as        tftypes.Type
	special   special
	// rules are nil if only the framework can plan changes.
	rules rules
	// identity is nil for a resource without one.
	identity   *identityschema.Schema
	identityAs tftypes.Type
	// noIdentity is the framework's encoding of the identity of a resource whose state has none yet.
	noIdentity *tfprotov6.ResourceIdentityData
}

// newKind returns nil for a resource with unusual features.
func newKind(ctx context.Context, construct func() resource.Resource) *kind {
	r, k := construct(), &kind{construct: construct}
	var described resource.SchemaResponse
	r.Schema(ctx, resource.SchemaRequest{}, &described)
	k.schema = described.Schema
	k.as = k.schema.Type().TerraformType(ctx)
	var ok bool
	if k.special, ok = newSpecial(ctx, k.schema); !ok || len(described.Diagnostics) > 0 {
		return nil
	}
	k.rules, _ = newRules(k.schema.Attributes, k.special.defaults)
	identified, ok := r.(resource.ResourceWithIdentity)
	if !ok {
		return k
	}
	var identity resource.IdentitySchemaResponse
	identified.IdentitySchema(ctx, resource.IdentitySchemaRequest{}, &identity)
	k.identity, k.identityAs = &identity.IdentitySchema, identity.IdentitySchema.Type().TerraformType(ctx)
	none, err := tfprotov6.NewDynamicValue(k.identityAs, tftypes.NewValue(k.identityAs, nil))
	k.noIdentity = &tfprotov6.ResourceIdentityData{IdentityData: &none}
	if err != nil || len(identity.Diagnostics) > 0 {
		return nil
	}
	return k
}

// configured returns a new configured resource, as the framework creates for each call.
func (k *kind) configured(ctx context.Context, p *Provider) (repeater, bool) {
	r, ok := k.construct().(repeater)
	return r, ok && p.configure(ctx, r)
}
