package oauthprovider

import (
	"context"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

type oauthProviderResource struct{ framework.IdentifiedResource }

var (
	_ resource.ResourceWithConfigure      = (*oauthProviderResource)(nil)
	_ resource.ResourceWithIdentity       = (*oauthProviderResource)(nil)
	_ resource.ResourceWithValidateConfig = (*oauthProviderResource)(nil)
	_ resource.ResourceWithModifyPlan     = (*oauthProviderResource)(nil)
	_ resource.ResourceWithImportState    = (*oauthProviderResource)(nil)
)

// NewResource is the resource agentplane_oauth_provider.
func NewResource() resource.Resource {
	return &oauthProviderResource{framework.IdentifiedResource{
		Resource: framework.Resource{Name: "oauth_provider", NewSchema: oauthProviderSchema}, Importer: importer,
	}}
}

func (r *oauthProviderResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan, config model
	resp.Diagnostics.Append(r.Configured()...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	plan.ClientSecretWO = config.ClientSecretWO
	request, diags := plan.toCreate(ctx)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	stored := stateWriter{framework.StateWriter{State: &resp.State, Identity: resp.Identity}, resp.Private}
	if plan.isDiscovered() {
		resp.Diagnostics.Append(r.discover(ctx, plan, stored)...)
		return
	}
	ctx = framework.MaskValues(ctx, plan.secret().ValueString())
	created, err := r.In(plan.WorkspaceID).CreateOAuthProvider(ctx, request)
	if err != nil {
		resp.Diagnostics.Append(r.notCreated(plan, err)...)
		return
	}
	resp.Diagnostics.Append(stored.keep(ctx, plan, *created)...)
	resp.Diagnostics.Append(stored.accepted(ctx, framework.Fingerprint{}, request.ClientSecret)...)
}

func (r *oauthProviderResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	stored := framework.StateWriter{State: &resp.State, Identity: resp.Identity}
	if r.Client == nil { // Happens only in plans, which keep the last known state.
		resp.Diagnostics.Append(stored.Write(ctx, state)...)
		return
	}
	ctx = framework.MaskValues(ctx, state.secret().ValueString())
	providerID := state.ProviderID.ValueString()
	provider, err := find(ctx, r.In(state.WorkspaceID), providerID)
	if err == nil && provider == nil {
		resp.Diagnostics.Append(framework.Gone("OAuth provider", strconv.Quote(providerID), "no longer exists"))
		resp.Diagnostics.Append(stored.Remove(ctx, state)...)
		return
	}
	if err != nil {
		resp.Diagnostics.Append(state.failure("read").Diagnostics(err)...)
		return
	}
	refreshed, diags := newModel(ctx, state, *provider)
	resp.Diagnostics.Append(diags...)
	refreshed.WorkspaceID = r.KnownWorkspace(refreshed.WorkspaceID)
	if refreshed.isMadeAnew(state) {
		resp.Diagnostics.Append(forgetSecret(ctx, req.Private, resp.Private, refreshed)...)
	}
	resp.Diagnostics.Append(stored.Write(ctx, refreshed)...)
}

func (r *oauthProviderResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state, config model
	resp.Diagnostics.Append(r.Configured()...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	plan.ClientSecretWO = config.ClientSecretWO
	prints, diags := framework.LoadFingerprint(ctx, req.Private, fingerprintKey)
	resp.Diagnostics.Append(diags...)
	patch, diags := plan.toPatch(ctx, state)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	if secretChanges(plan, state, prints) {
		patch.ClientSecret = framework.ToOptional[string](plan.secret())
	}
	stored := stateWriter{framework.StateWriter{State: &resp.State, Identity: resp.Identity}, resp.Private}
	if patch == (api.OAuthProviderUpdateRequest{}) {
		resp.Diagnostics.Append(stored.Write(ctx, kept(ctx, plan, state))...)
		return
	}
	ctx = framework.MaskValues(ctx, state.secret().ValueString(), plan.secret().ValueString())
	patched, err := r.patch(ctx, plan, patch)
	if err != nil {
		resp.Diagnostics.Append(plan.failure("update").Diagnostics(err)...)
		return
	}
	resp.Diagnostics.Append(stored.keep(ctx, plan, *patched)...)
	resp.Diagnostics.Append(stored.accepted(ctx, prints, patch.ClientSecret)...)
}

func (r *oauthProviderResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state model
	resp.Diagnostics.Append(r.Configured()...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx = framework.MaskValues(ctx, state.secret().ValueString())
	c, providerID := r.In(state.WorkspaceID), state.ProviderID.ValueString()
	err := c.DeleteOAuthProvider(ctx, providerID)
	if err == nil || client.IsNotFound(err) {
		return
	}
	if left, unread := find(ctx, c, providerID); left != nil || unread != nil {
		resp.Diagnostics.Append(state.failure("delete").Diagnostics(err)...)
	}
}
