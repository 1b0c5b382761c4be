package modelprice

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// NewResource is the resource agentplane_model_price.
func NewResource() resource.Resource {
	return framework.NewResource(framework.ResourceSpec[model]{
		Name: "model_price", Noun: "model price", Schema: modelPriceSchema, Importer: importer, Failure: model.failure,
		Label:     func(m model) string { return fmt.Sprintf("%s (%s)", m.label(), m.ID.ValueString()) },
		Workspace: func(m *model) *types.String { return &m.WorkspaceID },
		Unique: framework.UniqueKey[model]{
			Attribute: "name", Words: keyWords, ID: func(m model) types.String { return m.ID }, Values: model.key, Holder: holder, InPlace: true,
		},
		Plan: plan, Create: create, Taken: taken, Confirm: confirm, Read: read, Update: update, Delete: remove,
	})
}

// holder returns the ID of the entry that has the place of a planned one.
func holder(ctx context.Context, provider *framework.ProviderData, planned model) (string, error) {
	prices, err := listPrices(ctx, provider, planned.WorkspaceID)
	for _, price := range prices {
		if client.SamePlace(planned.toRequest(), price) {
			return price.ID, nil
		}
	}
	return "", err
}

func create(ctx context.Context, op *framework.Operation[model]) (*model, diag.Diagnostics) {
	defer forget(op.ProviderData, op.Plan.WorkspaceID)
	created, err := op.In(op.Plan.WorkspaceID).CreateModelPrice(ctx, op.Plan.toRequest())
	if err != nil {
		return nil, op.Failed(ctx, err)
	}
	return new(newModel(op.Plan, *created)), nil
}

// taken identifies the entry that has the place of one that can't be created.
func taken(ctx context.Context, op *framework.Operation[model]) string {
	forget(op.ProviderData, op.Plan.WorkspaceID)
	id, err := holder(ctx, op.ProviderData, op.Plan)
	if err != nil || id == "" {
		return ""
	}
	return op.Taken(op.Plan.WorkspaceID, id, "model price", "start_time or name")
}

func confirm(ctx context.Context, op *framework.Operation[model], created model) (model, error) {
	shown, err := op.In(created.WorkspaceID).FindModelPrice(ctx, created.ID.ValueString())
	if err != nil {
		return created, err
	}
	return newModel(created, *shown), nil
}

func read(ctx context.Context, op *framework.Operation[model]) (*model, diag.Diagnostics) {
	price, err := find(ctx, op.ProviderData, op.State.WorkspaceID, op.State.ID.ValueString())
	switch {
	case err != nil:
		return nil, op.Failed(ctx, err)
	case price == nil:
		return nil, nil
	case price.TenantID == nil:
		return nil, notOurs(*price)
	}
	return new(newModel(*op.State, *price)), nil
}

func update(ctx context.Context, op *framework.Operation[model]) (*model, diag.Diagnostics) {
	if !op.Plan.differs(*op.State) {
		return op.State, nil
	}
	defer forget(op.ProviderData, op.State.WorkspaceID)
	updated, err := op.In(op.State.WorkspaceID).UpdateModelPrice(ctx, op.State.ID.ValueString(), op.Plan.toRequest())
	if err != nil {
		return nil, op.Failed(ctx, err)
	}
	return new(newModel(op.Plan, *updated)), nil
}

func remove(ctx context.Context, op *framework.Operation[model]) diag.Diagnostics {
	defer forget(op.ProviderData, op.State.WorkspaceID)
	return op.Deleted(ctx, op.In(op.State.WorkspaceID).DeleteModelPrice(ctx, op.State.ID.ValueString()))
}

var importer = framework.Importer{
	TypeName: "agentplane_model_price", Noun: "model price", Example: "name:example-large",
	Hint: " Built-in entries can't be managed.",
	IDsByName: func(ctx context.Context, p *framework.ProviderData, workspaceID types.String, name string) ([]string, error) {
		prices, err := listPrices(ctx, p, workspaceID)
		var ids []string
		for _, price := range prices {
			if price.TenantID != nil && price.Name == name {
				ids = append(ids, price.ID)
			}
		}
		return ids, err
	},
}
