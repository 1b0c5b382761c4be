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
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/lookup"
)

// NewResource is the resource agentplane_oauth_token.
func NewResource() resource.Resource {
	return framework.NewResource(framework.ResourceSpec[model]{
		Name: "oauth_token", Noun: "OAuth token", Schema: tokenSchema, Importer: importer, Failure: model.failure,
		Label:     func(m model) string { return m.ID.ValueString() },
		Workspace: func(m *model) *types.String { return &m.WorkspaceID },
		Secrets:   func(m model) []string { return []string{m.AccessTokenWO.ValueString(), m.RefreshTokenWO.ValueString()} },
		Plan:      plan, Create: create, Read: read, Update: update, Delete: remove,
	})
}

func create(ctx context.Context, op *framework.Operation[model]) (*model, diag.Diagnostics) {
	plan := op.Plan
	defer forget(op.ProviderData, plan.WorkspaceID)
	c, providerID := op.In(plan.WorkspaceID), plan.ProviderID.ValueString()
	id, err := c.ImportOAuthToken(ctx, plan.toImport())
	if err != nil {
		return nil, notImported(ctx, op, err)
	}
	made := framework.KeepPlanned(ctx, plan, model{ID: types.StringValue(id)})
	diags := plan.fingerprint().Save(ctx, op.Private, framework.TokensKey)
	diags.Append(op.AwaitShown(ctx, op.Private, "OAuth token "+id, func(ctx context.Context) error {
		token, err := c.OAuthTokens(providerID).Get(ctx, id)
		if err == nil {
			made = newModel(plan, *token)
		}
		return err
	})...)
	label := plan.ProviderAccountLabel
	if label.IsUnknown() || label.IsNull() {
		return &made, diags
	}
	labelled, err := c.UpdateOAuthToken(ctx, providerID, id, api.OAuthTokenUpdateRequest{ProviderAccountLabel: framework.ToOptional[string](label)})
	if err != nil {
		// An error would taint the token, and the next apply would replace it.
		failure := made.failure("label")
		failure.Gone = func() bool {
			_, err := c.OAuthTokens(providerID).Get(ctx, id)
			return client.IsNotFound(err)
		}
		diags.Append(framework.AsWarnings(failure.Diagnostics(err), "The token was stored without provider_account_label. The next plan shows "+
			"the difference, and the next apply sets it.")...)
		made.ProviderAccountLabel = label
		return &made, diags
	}
	return new(newModel(plan, *labelled)), diags
}

// notImported returns the diagnostics for a token that wasn't stored, or for which that isn't known.
func notImported(ctx context.Context, op *framework.Operation[model], err error) diag.Diagnostics {
	diags := op.Failed(ctx, err)
	unknown, isUnknown := errors.AsType[*client.OutcomeUnknownError](err)
	overwritten, isOverwritten := errors.AsType[*client.OverwrittenError](err)
	switch {
	case isOverwritten:
		return framework.WithNextStep(diags, "It isn't in the state of this resource, so that it isn't deleted with it. To manage it, "+op.TakeOver(op.Plan.WorkspaceID, overwritten.ID))
	case isUnknown && unknown.ID == "":
		return framework.WithNextStep(diags, "Each apply stores another token: look at the data source agentplane_oauth_tokens before the next one, and "+
			"import the new token if it is there.")
	}
	return diags
}

func read(ctx context.Context, op *framework.Operation[model]) (*model, diag.Diagnostics) {
	token, err := client.Find(client.Items(lookup.UserTokens(ctx, op.ProviderData, op.In(op.State.WorkspaceID))), func(t api.OAuthTokenSummary) bool {
		return client.SameID(t.ID, op.State.ID.ValueString())
	})
	return framework.Answer(ctx, op, newModel, token, err)
}

// update changes the metadata: everything else replaces the token.
func update(ctx context.Context, op *framework.Operation[model]) (*model, diag.Diagnostics) {
	request := op.Plan.toPatch(*op.State)
	if request == (api.OAuthTokenUpdateRequest{}) {
		return op.State, nil
	}
	defer forget(op.ProviderData, op.State.WorkspaceID)
	token, err := op.In(op.State.WorkspaceID).UpdateOAuthToken(ctx, op.State.ProviderID.ValueString(), op.State.ID.ValueString(), request)
	return framework.Answer(ctx, op, newModel, token, err)
}

func remove(ctx context.Context, op *framework.Operation[model]) diag.Diagnostics {
	defer forget(op.ProviderData, op.State.WorkspaceID)
	return op.Deleted(ctx, op.In(op.State.WorkspaceID).OAuthTokens("").Delete(ctx, op.State.ID.ValueString()))
}

// forget drops the cached list after a write, whether it succeeded or not.
func forget(p *framework.ProviderData, workspaceID types.String) {
	lookup.ForgetUserTokens(p, p.In(workspaceID))
}

// failure describes a failed operation on a token.
func (m model) failure(verb string) framework.Failure {
	if verb == "create" {
		verb = "store"
	}
	failure := framework.Failure{
		Summary:       fmt.Sprintf("Cannot %s token of OAuth provider %q", verb, m.ProviderID.ValueString()),
		AttributePath: attributePath,
		Existing:      "OAuth token " + m.ID.ValueString(),
		NextSteps: map[int]string{
			http.StatusNotFound: "Check provider_id and workspace_id. The resource agentplane_oauth_provider registers an OAuth provider.",
		},
	}
	if m.ProviderID.ValueString() == "" { // An import has only the ID.
		failure.Summary = fmt.Sprintf("Cannot %s OAuth token %q", verb, m.ID.ValueString())
	}
	return failure
}

var importer = framework.Importer{
	TypeName: "agentplane_oauth_token", Noun: "OAuth token", Example: "name:work", Name: "provider_account_label",
	IDsByName: func(ctx context.Context, p *framework.ProviderData, workspaceID types.String, name string) ([]string, error) {
		labelled := client.Filter(client.Items(p.In(workspaceID).ListOAuthTokens(ctx, "")), func(t api.OAuthTokenSummary) bool {
			return api.OrEmpty(t.ProviderAccountLabel) == name
		})
		return framework.IDs(labelled, func(t api.OAuthTokenSummary) string { return t.ID })
	},
}
