package direct

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/resource"
)

// complete is what a resource implements that can be asked directly.
type complete interface {
	resource.ResourceWithConfigure
	resource.ResourceWithModifyPlan
	resource.ResourceWithImportState
}

// answered is what a resource was asked and what it answered.
type answered[Req, Resp any] struct {
	req  Req
	resp Resp
	// repeated is called with the request in which the framework asks again. Nil except in tests.
	repeated func(Req)
}

// key finds an answer in a context. The framework, when it asks the resource, gets the answer that is there already: asking
// twice would send requests to the service twice.
type key[Req, Resp any] struct{}

// ask calls a method of a resource, or repeats the answer that the context has.
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

// repeater is a resource that can repeat its answers to the framework.
type repeater interface {
	resource.ResourceWithConfigure
	resource.ResourceWithModifyPlan
	resource.ResourceWithValidateConfig
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

// repeatable returns r so that it can repeat its answers. A resource that implements more than this package knows of is
// returned as it is, and left to the framework.
func repeatable(r resource.Resource) resource.Resource {
	known, ok := r.(complete)
	if !ok || implementsMore(r) {
		return r
	}
	if identified, ok := r.(resource.ResourceWithIdentity); ok {
		return repeatingIdentified{repeatingResource{known}, identified}
	}
	return repeatingResource{known}
}

// implementsMore reports whether the framework would find something in r that it wouldn't find in a repeating resource.
func implementsMore(r resource.Resource) bool {
	switch r.(type) {
	case resource.ResourceWithConfigValidators, resource.ResourceWithUpgradeState, resource.ResourceWithUpgradeIdentity:
		return true
	}
	return false
}

// ValidateConfig implements resource.ResourceWithValidateConfig.
func (r repeatingResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	if validating, ok := r.complete.(resource.ResourceWithValidateConfig); ok {
		validating.ValidateConfig(ctx, req, resp)
	}
}

// MoveState implements resource.ResourceWithMoveState. A resource to which nothing can be moved has no mover.
func (r repeatingResource) MoveState(ctx context.Context) []resource.StateMover {
	if moving, ok := r.complete.(resource.ResourceWithMoveState); ok {
		return moving.MoveState(ctx)
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

// repeatingDataSource is a data source that can repeat its answers to the framework.
type repeatingDataSource struct {
	datasource.DataSourceWithConfigure
}

// repeatableData returns d so that it can repeat its answers, or as it is if it implements more than this package knows of.
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
