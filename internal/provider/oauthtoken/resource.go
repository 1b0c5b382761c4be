package oauthtoken

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

type tokenResource struct{ framework.IdentifiedResource }

var (
	_ resource.ResourceWithConfigure   = (*tokenResource)(nil)
	_ resource.ResourceWithIdentity    = (*tokenResource)(nil)
	_ resource.ResourceWithModifyPlan  = (*tokenResource)(nil)
	_ resource.ResourceWithImportState = (*tokenResource)(nil)
)

// NewResource is the resource agentplane_oauth_token.
func NewResource() resource.Resource {
	return &tokenResource{framework.IdentifiedResource{
		Resource: framework.Resource{Name: "oauth_token", NewSchema: tokenSchema}, Importer: importer,
	}}
}

func (r *tokenResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan, config model
	resp.Diagnostics.Append(r.Configured()...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	planned := plan
	plan = plan.withTokens(config)
	access, refresh := plan.AccessTokenWO.ValueString(), plan.RefreshTokenWO.ValueString()
	ctx = framework.MaskValues(ctx, access, refresh)
	defer forget(&r.ProviderData, plan.WorkspaceID)
	c := r.In(plan.WorkspaceID)
	id, err := c.ImportOAuthToken(ctx, plan.toImport())
	if err != nil {
		resp.Diagnostics.Append(r.notImported(plan, err)...)
		return
	}
	made, stored := plan.kept(ctx, model{ID: types.StringValue(id)}), framework.StateWriter{State: &resp.State, Identity: resp.Identity}
	resp.Diagnostics.Append(stored.Write(ctx, made)...)
	prints := framework.Fingerprint{}.With(accessTokenWO, access).With(refreshTokenWO, refresh)
	resp.Diagnostics.Append(prints.Save(ctx, resp.Private, framework.TokensKey)...)
	resp.Diagnostics.Append(r.AwaitShown(ctx, resp.Private, plan.named(id), func(ctx context.Context) error {
		token, err := c.GetOAuthToken(ctx, plan.ProviderID.ValueString(), id)
		if err == nil {
			made = newModel(plan, *token)
		}
		return err
	})...)
	if label := plan.ProviderAccountLabel; !label.IsUnknown() && !label.IsNull() {
		labelled, err := c.UpdateOAuthToken(ctx, plan.ProviderID.ValueString(), id, api.OAuthTokenUpdateRequest{ProviderAccountLabel: framework.ToOptional[string](label)})
		if err != nil {
			config.ProviderAccountLabel = types.StringNull() // Said here, where the reason is known.
			// An error would taint the token, and the next apply would replace it.
			resp.Diagnostics.Append(framework.AsWarnings(r.notChanged(ctx, "label", made, err), "The token was stored without provider_account_label. The "+
				"next plan shows the difference, and the next apply sets it.")...)
		} else {
			made = newModel(plan, *labelled)
		}
	}
	resp.Diagnostics.Append(stored.Write(ctx, plan.kept(ctx, made))...)
	resp.Diagnostics.Append(framework.Overtaken(ctx, plan.named(id), config, planned, made)...)
}

// named names a token at the start of a sentence.
func (m model) named(id string) string {
	return fmt.Sprintf("Token %s of OAuth provider %q", id, m.ProviderID.ValueString())
}

func (r *tokenResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	framework.Refresh(ctx, &r.ProviderData, req, resp, "OAuth token", func(m model) string { return m.ID.ValueString() }, read)
}

func read(ctx context.Context, p *framework.ProviderData, state model) (*model, diag.Diagnostics) {
	found, err := find(ctx, p, state.WorkspaceID, state.ID.ValueString())
	if err != nil {
		return nil, state.cannot("read").Diagnostics(err)
	}
	if found == nil {
		return nil, nil
	}
	refreshed := newModel(state, *found)
	refreshed.WorkspaceID = p.KnownWorkspace(state.WorkspaceID)
	return &refreshed, nil
}

// Update changes the metadata: everything else replaces the token.
func (r *tokenResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state, config model
	resp.Diagnostics.Append(r.Configured()...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	stored, answered := framework.StateWriter{State: &resp.State, Identity: resp.Identity}, state
	if request := plan.toUpdate(state); request != (api.OAuthTokenUpdateRequest{}) {
		defer forget(&r.ProviderData, state.WorkspaceID)
		token, err := r.In(state.WorkspaceID).UpdateOAuthToken(ctx, state.ProviderID.ValueString(), state.ID.ValueString(), request)
		if err != nil {
			resp.Diagnostics.Append(r.notChanged(ctx, "update", state, err)...)
			return
		}
		answered = newModel(state, *token)
		resp.Diagnostics.Append(framework.Overtaken(ctx, plan.named(token.ID), config, plan, newModel(plan, *token))...)
	}
	resp.Diagnostics.Append(stored.Write(ctx, plan.kept(ctx, answered))...)
}

func (r *tokenResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state model
	resp.Diagnostics.Append(r.Configured()...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	defer forget(&r.ProviderData, state.WorkspaceID)
	if err := r.In(state.WorkspaceID).DeleteOAuthToken(ctx, state.ID.ValueString()); err != nil && !client.IsNotFound(err) {
		resp.Diagnostics.Append(state.cannot("delete").Diagnostics(err)...)
	}
}

// cannot describes a failed operation on a token.
func (m model) cannot(verb string) framework.Failure {
	failure := framework.Failure{
		Summary:       fmt.Sprintf("Cannot %s token of OAuth provider %q", verb, m.ProviderID.ValueString()),
		AttributePath: attributePath,
		NextSteps: map[int]string{
			http.StatusNotFound: "Check provider_id and workspace_id. The resource agentplane_oauth_provider registers an OAuth provider.",
		},
	}
	if m.ProviderID.ValueString() == "" { // An import has only the ID.
		failure.Summary = fmt.Sprintf("Cannot %s OAuth token %q", verb, m.ID.ValueString())
	}
	return failure
}

// notImported returns the diagnostics for a token that wasn't stored, or perhaps.
func (r *tokenResource) notImported(plan model, err error) diag.Diagnostics {
	failure := plan.cannot("store")
	failure.Last = r.Found(plan.WorkspaceID, err, nil)
	diags := failure.Diagnostics(err)
	unknown, isUnknown := errors.AsType[*client.OutcomeUnknownError](err)
	overwritten, isOverwritten := errors.AsType[*client.OverwrittenError](err)
	switch {
	case isOverwritten:
		return framework.WithNextStep(diags, "It isn't in the state of this resource, so that it isn't deleted with it. To manage it, "+r.TakeOver(plan.WorkspaceID, overwritten.ID))
	case isUnknown && unknown.ID == "":
		return framework.WithNextStep(diags, "Each apply stores another token: look at the data source agentplane_oauth_tokens before the next one, and "+
			"import the new token if it is there.")
	}
	return diags
}

// notChanged returns the diagnostics for a failed change of a token, and says whether the token was deleted after the plan.
func (r *tokenResource) notChanged(ctx context.Context, verb string, state model, err error) diag.Diagnostics {
	f := state.cannot(verb)
	f.Existing = "OAuth token " + state.ID.ValueString()
	f.Gone = func() bool {
		again, unread := r.In(state.WorkspaceID).GetOAuthToken(ctx, state.ProviderID.ValueString(), state.ID.ValueString())
		return again == nil && client.IsNotFound(unread)
	}
	return f.Diagnostics(err)
}

var importer = framework.Importer{
	TypeName: "agentplane_oauth_token", Noun: "OAuth token", Example: "name:work", Name: "provider_account_label",
	IDsByName: func(ctx context.Context, p *framework.ProviderData, workspaceID types.String, name string) ([]string, error) {
		tokens, err := p.In(workspaceID).ListOAuthTokens(ctx, "")
		var ids []string
		for _, token := range tokens {
			if token.ProviderAccountLabel != nil && *token.ProviderAccountLabel == name {
				ids = append(ids, token.ID)
			}
		}
		return ids, err
	},
}
