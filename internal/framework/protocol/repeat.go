package protocol

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/resource"
)

// complete has the methods of a resource that can be called directly.
type complete interface {
	resource.ResourceWithConfigure
	resource.ResourceWithModifyPlan
	resource.ResourceWithImportState
}

// answered is a call of a resource: its request and its response.
type answered[Req, Resp any] struct {
	req  Req
	resp Resp
	// repeated is called with the request when the framework repeats the call. Nil except in tests.
	repeated func(Req)
}

// repeating returns the context in which the framework gets the response of a resource that was already called.
func (a *answered[Req, Resp]) repeating(ctx context.Context, typeName string, compare Compare) context.Context {
	if compare != nil {
		a.repeated = func(framework Req) { compare(typeName, a.req, framework) }
	}
	return context.WithValue(ctx, key[Req, Resp]{}, a)
}

// key finds a response in a context. When the framework calls the resource, it gets that response: calling twice would send
// requests to the service twice.
type key[Req, Resp any] struct{}

// ask calls a method of a resource, or repeats the response in the context.
func ask[Req, Resp any](ctx context.Context, req Req, resp *Resp, call func(context.Context, Req, *Resp)) {
	a, ok := ctx.Value(key[Req, Resp]{}).(*answered[Req, Resp])
	if !ok {
		call(ctx, req, resp)
		return
	}
	if a.repeated != nil {
		a.repeated(req)
	}
	*resp = a.resp
}

// repeater is a resource that can repeat its responses to the framework.
type repeater interface {
	complete
	repeats()
}

// repeatingResource is a repeater without an identity.
type repeatingResource struct{ complete }

func (repeatingResource) repeats() {}

// repeatingIdentified is a repeater with an identity, which the framework finds by type assertion.
type repeatingIdentified struct {
	repeatingResource
	identity resource.ResourceWithIdentity
}

// repeatable wraps r so that it can repeat its responses. A resource that implements more than a repeating one is returned unchanged
// and left to the framework.
func repeatable(r resource.Resource) resource.Resource {
	known, ok := r.(complete)
	if _, more := r.(resource.ResourceWithConfigValidators); more || !ok {
		return r
	}
	if identified, ok := r.(resource.ResourceWithIdentity); ok {
		return repeatingIdentified{repeatingResource{known}, identified}
	}
	return repeatingResource{known}
}

// ValidateConfig implements resource.ResourceWithValidateConfig.
func (r repeatingResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	if validating, ok := r.complete.(resource.ResourceWithValidateConfig); ok {
		validating.ValidateConfig(ctx, req, resp)
	}
}

// MoveState implements resource.ResourceWithMoveState. A resource that doesn't support moves has no mover.
func (r repeatingResource) MoveState(ctx context.Context) []resource.StateMover {
	if moving, ok := r.complete.(resource.ResourceWithMoveState); ok {
		return moving.MoveState(ctx)
	}
	return nil
}

// UpgradeState implements resource.ResourceWithUpgradeState. A resource without upgraders has none for any version: the framework's
// error for an older state then says that the version has no upgrader, in place of that the resource has none.
func (r repeatingResource) UpgradeState(ctx context.Context) map[int64]resource.StateUpgrader {
	if upgrading, ok := r.complete.(resource.ResourceWithUpgradeState); ok {
		return upgrading.UpgradeState(ctx)
	}
	return nil
}

// ModifyPlan implements resource.ResourceWithModifyPlan.
func (r repeatingResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	ask(ctx, req, resp, r.complete.ModifyPlan)
}

// Read implements resource.Resource.
func (r repeatingResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	ask(ctx, req, resp, r.complete.Read)
}

// IdentitySchema implements resource.ResourceWithIdentity.
func (r repeatingIdentified) IdentitySchema(ctx context.Context, req resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	r.identity.IdentitySchema(ctx, req, resp)
}

// UpgradeIdentity implements resource.ResourceWithUpgradeIdentity. A resource whose identity has had one version has no upgrader.
func (r repeatingIdentified) UpgradeIdentity(ctx context.Context) map[int64]resource.IdentityUpgrader {
	if upgrading, ok := r.identity.(resource.ResourceWithUpgradeIdentity); ok {
		return upgrading.UpgradeIdentity(ctx)
	}
	return nil
}

// repeatingDataSource is a data source that can repeat its responses to the framework.
type repeatingDataSource struct {
	datasource.DataSourceWithConfigure
}

// repeatableData wraps d so that it can repeat its responses, unless d implements more than this package knows.
func repeatableData(d datasource.DataSource) datasource.DataSource {
	switch d.(type) {
	case datasource.DataSourceWithConfigValidators, datasource.DataSourceWithValidateConfig:
		return d
	}
	if known, ok := d.(datasource.DataSourceWithConfigure); ok {
		return repeatingDataSource{known}
	}
	return d
}

// Read implements datasource.DataSource.
func (d repeatingDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	ask(ctx, req, resp, d.DataSourceWithConfigure.Read)
}
