package oauthprovider

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

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
	if resp.Diagnostics.HasError() {
		return
	}
	request := plan.toCreate()
	stored := stateWriter{framework.StateWriter{State: &resp.State, Identity: resp.Identity}, resp.Private}
	if plan.isDiscovered() {
		resp.Diagnostics.Append(r.discover(ctx, plan, stored)...)
		if !resp.State.Raw.IsNull() {
			resp.Diagnostics.Append(r.confirm(ctx, config, plan, plan, resp.Private)...)
		}
		return
	}
	ctx = framework.MaskValues(ctx, plan.secret().ValueString())
	created, err := r.writer(plan.WorkspaceID).CreateOAuthProvider(ctx, request)
	if err != nil {
		resp.Diagnostics.Append(r.notCreated(plan, err)...)
		return
	}
	resp.Diagnostics.Append(stored.keep(ctx, plan, *created)...)
	resp.Diagnostics.Append(stored.accepted(ctx, framework.Fingerprint{}, request.ClientSecret)...)
	resp.Diagnostics.Append(r.confirm(ctx, config, newModel(plan, *created), plan, resp.Private)...)
}

func (r *oauthProviderResource) confirm(ctx context.Context, config, made, plan model, private framework.PrivateWriter) diag.Diagnostics {
	var overtaken diag.Diagnostics
	diags := r.AwaitShown(ctx, private, plan.named(), func(ctx context.Context) error {
		shown, err := r.In(plan.WorkspaceID).GetOAuthProvider(ctx, plan.ProviderID.ValueString())
		if err == nil {
			overtaken = plan.overtaken(ctx, config, made, newModel(plan, *shown))
		}
		return err
	})
	return append(diags, overtaken...)
}

// overtaken warns of what another user changed during an apply, also if that created the provider again. had is the provider as known before.
func (m model) overtaken(ctx context.Context, config, had, shown model) diag.Diagnostics {
	m.ClientSecretWO = types.StringNull() // The service never returns it.
	diags := framework.Overtaken(ctx, m.named(), config, m, shown)
	if shown.isMadeAnew(had) {
		diags.AddWarning("OAuth provider was created again", fmt.Sprintf("%s was deleted and created again outside of Terraform during this apply: its ID "+
			"is now %s. The next plan shows what differs, and sends the configured client secret, if there is one.", m.named(), shown.ID.ValueString()))
	}
	return diags
}

// named names the provider at the start of a sentence.
func (m model) named() string { return fmt.Sprintf("OAuth provider %q", m.ProviderID.ValueString()) }

func (r *oauthProviderResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	state, refreshed := framework.Refresh(ctx, &r.ProviderData, req, resp, noun, model.label, read)
	if refreshed != nil && refreshed.isMadeAnew(state) {
		resp.Diagnostics.Append(madeAnew(ctx, req.Private, resp.Private, *refreshed)...)
	}
}

func read(ctx context.Context, p *framework.ProviderData, state model) (*model, diag.Diagnostics) {
	ctx = framework.MaskValues(ctx, state.secret().ValueString())
	c, providerID := p.In(state.WorkspaceID), state.ProviderID.ValueString()
	found, err := sharedList(p, c).One(ctx, providerID, func(bool) (*api.OAuthProviderResponse, error) { return find(ctx, c, providerID) })
	if err != nil {
		return nil, state.failure("read").Diagnostics(err)
	}
	if found == nil {
		return nil, nil
	}
	refreshed := newModel(state, *found)
	refreshed.WorkspaceID = p.KnownWorkspace(refreshed.WorkspaceID)
	return &refreshed, nil
}

func (r *oauthProviderResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state, config model
	resp.Diagnostics.Append(r.Configured()...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	plan.ClientSecretWO = config.ClientSecretWO
	prints, diags := framework.LoadFingerprint(ctx, req.Private, framework.ClientSecretKey)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	patch := plan.toPatch(state)
	moved := patch.TokenURL.Value != nil || patch.ClientID.Value != nil
	if moved || secretChanges(plan, state, prints) {
		patch.ClientSecret = framework.ToOptional[string](plan.secret())
	}
	stored := stateWriter{framework.StateWriter{State: &resp.State, Identity: resp.Identity}, resp.Private}
	resp.Diagnostics.Append(framework.DropRecord(ctx, resp.Private)...)
	resp.Diagnostics.Append(framework.SavePrivate(ctx, resp.Private, framework.ClientSecretLeftKey, plan.secret().IsNull())...) // The plan has warned of it.
	if patch == (api.OAuthProviderUpdateRequest{}) {
		resp.Diagnostics.Append(stored.Write(ctx, kept(ctx, plan, state))...)
		return
	}
	ctx = framework.MaskValues(ctx, state.secret().ValueString(), plan.secret().ValueString())
	patched, err := r.writer(plan.WorkspaceID).PatchOAuthProvider(ctx, plan.ProviderID.ValueString(), patch, state.UpdatedAt.ValueString())
	if err != nil {
		failure := plan.failure("update")
		failure.Existing = plan.named()
		if moved && plan.secret().IsNull() {
			failure.NextSteps[http.StatusUnprocessableEntity] = unknownSecret
		}
		failure.Gone = func() bool {
			found, err := find(ctx, r.In(state.WorkspaceID), state.ProviderID.ValueString())
			return found == nil && err == nil
		}
		resp.Diagnostics.Append(failure.Diagnostics(err)...)
		return
	}
	resp.Diagnostics.Append(stored.keep(ctx, plan, *patched)...)
	resp.Diagnostics.Append(plan.overtaken(ctx, config, state, newModel(plan, *patched))...)
	resp.Diagnostics.Append(stored.accepted(ctx, prints, patch.ClientSecret)...)
}

func (r *oauthProviderResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state model
	resp.Diagnostics.Append(r.Configured()...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(r.unlessGone(ctx, state, req.Private, state.protection().RefuseDestroy())...) // The plan of a tainted provider doesn't have its state.
	if resp.Diagnostics.HasError() {
		return
	}
	ctx = framework.MaskValues(ctx, state.secret().ValueString())
	c, providerID := r.writer(state.WorkspaceID), state.ProviderID.ValueString()
	err := c.DeleteOAuthProvider(ctx, providerID)
	if err == nil || client.IsNotFound(err) {
		return
	}
	if left, unread := find(ctx, c, providerID); left != nil || unread != nil {
		resp.Diagnostics.Append(state.failure("delete").Diagnostics(err)...)
	}
}

// importer needs no request: the API identifies providers by the provider_id, which users know.
var importer = framework.Importer{
	TypeName: "agentplane_oauth_provider", Noun: "OAuth provider", Example: "google",
	Key: "provider_id", KeyDescription: "Identifier by which agents refer to the provider.",
	Parse: parseImportID,
}

// parseImportID reads PROVIDER_ID or WORKSPACE_ID/PROVIDER_ID. It returns the workspace in the service's spelling; another one would
// show as a change that replaces the provider.
func parseImportID(text string) (framework.ImportID, error) {
	var parsed framework.ImportID
	providerID := text
	if workspaceID, rest, qualified := strings.Cut(text, "/"); qualified {
		id, err := uuid.Parse(workspaceID)
		if err != nil {
			return framework.ImportID{}, invalidImportID(text)
		}
		parsed.WorkspaceID, providerID = id.String(), rest
	}
	if !api.ProviderIDForm.MatchString(providerID) {
		return framework.ImportID{}, invalidImportID(text)
	}
	parsed.ID = providerID
	return parsed, nil
}

func invalidImportID(text string) error {
	return fmt.Errorf("%q is neither PROVIDER_ID nor WORKSPACE_ID/PROVIDER_ID, where WORKSPACE_ID is a UUID", text)
}
