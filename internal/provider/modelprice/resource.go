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
		Name: "model_price", Schema: modelPriceSchema, Importer: importer, Noun: "model price",
		Label: func(m model) string { return fmt.Sprintf("%s (%s)", m.label(), m.ID.ValueString()) },
		Unique: framework.UniqueKey[model]{
			Attribute: "name", Words: keyWords, ID: func(m model) types.String { return m.ID }, Values: model.key, Holder: holder, InPlace: true,
		},
		Plan: plan, Create: create, Confirm: confirm, Read: read, Update: update, Delete: remove,
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

func create(ctx context.Context, provider *framework.ProviderData, plan, _ model) (*model, diag.Diagnostics) {
	request := plan.toRequest()
	defer forget(provider, plan.WorkspaceID)
	created, err := provider.In(plan.WorkspaceID).CreateModelPrice(ctx, request)
	if err != nil {
		return nil, notCreated(ctx, provider, plan, request, err)
	}
	return new(newModel(plan, *created)), nil
}

func confirm(ctx context.Context, provider *framework.ProviderData, created model) (model, error) {
	shown, err := provider.In(created.WorkspaceID).FindModelPrice(ctx, created.ID.ValueString())
	if err != nil {
		return created, err
	}
	return newModel(created, *shown), nil
}

func read(ctx context.Context, provider *framework.ProviderData, state model) (*model, diag.Diagnostics) {
	price, err := find(ctx, provider, state.WorkspaceID, state.ID.ValueString())
	switch {
	case err != nil:
		return nil, state.failure("read").Diagnostics(err)
	case price == nil:
		return nil, nil
	case price.TenantID == nil:
		return nil, notOurs(*price)
	}
	refreshed := newModel(state, *price)
	refreshed.WorkspaceID = provider.KnownWorkspace(state.WorkspaceID)
	return &refreshed, nil
}

func update(ctx context.Context, provider *framework.ProviderData, plan, state, _ model) (*model, diag.Diagnostics) {
	if !plan.differs(state) {
		return &state, nil
	}
	defer forget(provider, state.WorkspaceID)
	updated, err := provider.In(state.WorkspaceID).UpdateModelPrice(ctx, state.ID.ValueString(), plan.toRequest())
	if err != nil {
		failure := plan.failure("update")
		failure.Existing = "model price " + state.ID.ValueString()
		failure.Gone = func() bool {
			forget(provider, state.WorkspaceID)
			price, err := find(ctx, provider, state.WorkspaceID, state.ID.ValueString())
			return price == nil && err == nil
		}
		return nil, failure.Diagnostics(err)
	}
	return new(newModel(plan, *updated)), nil
}

func remove(ctx context.Context, provider *framework.ProviderData, state model) diag.Diagnostics {
	defer forget(provider, state.WorkspaceID)
	err := provider.In(state.WorkspaceID).DeleteModelPrice(ctx, state.ID.ValueString())
	if err != nil && !client.IsNotFound(err) {
		return state.failure("delete").Diagnostics(err)
	}
	return nil
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
