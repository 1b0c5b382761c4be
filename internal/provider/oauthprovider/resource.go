package oauthprovider

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/lookup"
)

// NewResource is the resource agentplane_oauth_provider.
func NewResource() resource.Resource {
	return framework.NewResource(framework.ResourceSpec[model]{
		Name: "oauth_provider", Noun: "OAuth provider", Schema: oauthProviderSchema, Importer: importer, Failure: model.failure,
		Label:     func(m model) string { return strconv.Quote(m.ProviderID.ValueString()) },
		Workspace: func(m *model) *types.String { return &m.WorkspaceID },
		Secrets:   func(m model) []string { return []string{m.ClientSecret.ValueString(), m.ClientSecretWO.ValueString()} },
		ImportID:  func(m model, _ string) string { return m.ProviderID.ValueString() },
		Unique: framework.UniqueKey[model]{
			Attribute: "provider_id", Words: "provider_id", ID: func(m model) types.String { return m.ProviderID },
			Values: func(m model) (types.String, types.String, []attr.Value) { return m.ProviderID, m.WorkspaceID, nil },
			Holder: holder,
		},
		Protection: model.protection, Record: model.record,
		Validate: func(_ context.Context, config model) diag.Diagnostics { return config.validate() }, Plan: plan, Create: create, Confirm: framework.Confirming(newModel, get), Read: read, Update: update, Recreated: recreated, Delete: remove,
	})
}

// holder returns the provider_id of a planned provider if there is one already.
func holder(ctx context.Context, provider *framework.ProviderData, planned model) (string, error) {
	providers, err := lookup.OAuthProviders(ctx, provider, provider.In(planned.WorkspaceID))
	for _, o := range providers {
		if o.ProviderID == planned.ProviderID.ValueString() {
			return o.ProviderID, nil
		}
	}
	return "", err
}

func create(ctx context.Context, op *framework.Operation[model]) (*model, diag.Diagnostics) {
	if op.Plan.isDiscovered() {
		return discover(ctx, op)
	}
	request := op.Plan.toCreate()
	created, err := writer(op.ProviderData, op.Plan.WorkspaceID).CreateOAuthProvider(ctx, request)
	if err != nil {
		return nil, notCreated(ctx, op, err)
	}
	return new(newModel(op.Plan, *created)), accepted(ctx, op, framework.Fingerprint{}, request.ClientSecret)
}

// notCreated returns the diagnostics for a failed creation.
func notCreated(ctx context.Context, op *framework.Operation[model], err error) diag.Diagnostics {
	failure := op.Failure(ctx, err)
	if op.Plan.isDiscovered() {
		failure.NextSteps[http.StatusBadRequest] = "Check that mcp_server_url is the URL of the MCP server, and that its " +
			"authorization server supports dynamic client registration. Otherwise, register a client there, and set " +
			"client_id, auth_url and token_url instead of mcp_server_url."
	}
	failure.NextSteps[http.StatusConflict] = op.Taken(op.Plan.WorkspaceID, op.Plan.ProviderID.ValueString(), "OAuth provider", "provider_id")
	return failure.Diagnostics(err)
}

func get(ctx context.Context, c *client.Client, created model) (*api.OAuthProviderResponse, error) {
	return c.OAuthProviders().Get(ctx, created.ProviderID.ValueString())
}

func read(ctx context.Context, op *framework.Operation[model]) (*model, diag.Diagnostics) {
	c, providerID := op.In(op.State.WorkspaceID), op.State.ProviderID.ValueString()
	found, err := sharedList(op.ProviderData, c).One(ctx, providerID, func(bool) (*api.OAuthProviderResponse, error) { return find(ctx, c, providerID) })
	return framework.Answer(ctx, op, newModel, found, err)
}

// find reads a provider; nil if there is none. The API doesn't document the response in that case, and a single unexpected
// one proves nothing: after a 404 or a 400, the list decides.
func find(ctx context.Context, c *client.Client, providerID string) (*api.OAuthProviderResponse, error) {
	provider, err := c.OAuthProviders().Get(ctx, providerID)
	status := client.StatusOf(err)
	if status != http.StatusNotFound && status != http.StatusBadRequest || client.IsForeign(err) {
		return provider, err
	}
	for listed, unread := range c.OAuthProviders().List(ctx) {
		switch {
		case unread != nil:
			return nil, err
		case listed.ProviderID == providerID:
			return &listed, nil
		}
	}
	return nil, nil
}

func update(ctx context.Context, op *framework.Operation[model]) (*model, diag.Diagnostics) {
	plan, state := op.Plan, *op.State
	prints, diags := framework.LoadFingerprint(ctx, op.Private, framework.ClientSecretKey)
	if diags.HasError() {
		return nil, diags
	}
	diags.Append(framework.SavePrivate(ctx, op.Private, framework.ClientSecretLeftKey, plan.secret().IsNull())...) // The plan has warned of it.
	patch := plan.toPatch(state)
	moved := patch.TokenURL.Value != nil || patch.ClientID.Value != nil
	if moved || secretChanges(plan, state, prints) {
		patch.ClientSecret = framework.ToOptional[string](plan.secret())
	}
	if patch == (api.OAuthProviderUpdateRequest{}) {
		return &state, diags
	}
	patched, err := writer(op.ProviderData, plan.WorkspaceID).PatchOAuthProvider(ctx, plan.ProviderID.ValueString(), patch, state.UpdatedAt.ValueString())
	if err != nil {
		failure := op.Failure(ctx, err)
		if moved && plan.secret().IsNull() {
			failure.NextSteps[http.StatusUnprocessableEntity] = unknownSecret
		}
		return nil, append(diags, failure.Diagnostics(err)...)
	}
	return new(newModel(plan, *patched)), append(diags, accepted(ctx, op, prints, patch.ClientSecret)...)
}

func remove(ctx context.Context, op *framework.Operation[model]) diag.Diagnostics {
	c, providerID := writer(op.ProviderData, op.State.WorkspaceID), op.State.ProviderID.ValueString()
	err := c.OAuthProviders().Delete(ctx, providerID)
	if err == nil || client.IsNotFound(err) {
		return nil
	}
	if left, unread := find(ctx, c, providerID); left == nil && unread == nil {
		return nil
	}
	return op.Failed(ctx, err)
}

// failure describes a failed operation on the provider m.
func (m model) failure(verb string) framework.Failure {
	providerID := m.ProviderID.ValueString()
	return framework.Failure{
		Summary:       fmt.Sprintf("Cannot %s OAuth provider %q", verb, providerID),
		AttributePath: m.attributePath,
		Existing:      fmt.Sprintf("OAuth provider %q", providerID),
		NextSteps: map[int]string{
			http.StatusConflict: "Another change of this OAuth provider is in progress, or it is still in use. Apply " +
				"again when that has finished.",
		},
	}
}

// unknownSecret is the remedy if the service wants the secret before it sends it to another server, and the configuration has none.
const unknownSecret = "The service has a client secret for this OAuth provider, which it doesn't use for another token_url or client_id " +
	"unless it is sent again. Set client_secret_wo or client_secret to the secret of the client, or replace the OAuth provider, which " +
	"deletes the tokens of all users."

// attributePath finds the attribute of a location in a request body. For the secret, it is the attribute that is set.
func (m model) attributePath(loc []api.LocStep) (path.Path, bool) {
	if loc[0].Key == "client_secret" && m.ClientSecret.IsNull() {
		return path.Root("client_secret_wo"), true
	}
	return framework.SchemaPath(oauthProviderSchema(), loc)
}

// sharedList returns the list of OAuth providers for the running plan.
func sharedList(p *framework.ProviderData, c *client.Client) *framework.SharedList[api.OAuthProviderResponse] {
	return framework.Shared(p, "OAuth providers", c, c.OAuthProviders().Pages, func(o api.OAuthProviderResponse) []string { return []string{o.ProviderID} })
}

// writer returns the client for changes. Lists that were read before are stale from then on.
func writer(p *framework.ProviderData, workspaceID types.String) *client.Client {
	c := p.In(workspaceID)
	sharedList(p, c).Close()
	return c
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

// discovered are the attributes that an MCP server's authorization server determines.
var discovered = []path.Expression{
	path.MatchRoot("client_id"), path.MatchRoot("client_secret"), path.MatchRoot("client_secret_wo"), path.MatchRoot("auth_url"),
	path.MatchRoot("token_url"), path.MatchRoot("uses_pkce"), path.MatchRoot("code_challenge_method"), path.MatchRoot("provider_type"),
	path.MatchRoot("token_endpoint_auth_method"),
}

// isDiscovered reports whether the service discovers the endpoints and registers the client.
func (m model) isDiscovered() bool { return !m.MCPServerURL.IsNull() && !m.MCPServerURL.IsUnknown() }

// withDefaults fills in what the configuration omits, unless it is, or may be, discovered.
func (m model) withDefaults(config model) model {
	if !m.MCPServerURL.IsNull() {
		return m
	}
	m.UsesPKCE = configuredOr(config.UsesPKCE, m.UsesPKCE, types.BoolValue(false))
	m.CodeChallengeMethod = configuredOr(config.CodeChallengeMethod, m.CodeChallengeMethod, types.StringValue(defaultCodeChallengeMethod))
	m.TokenEndpointAuthMethod = configuredOr(config.TokenEndpointAuthMethod, m.TokenEndpointAuthMethod,
		types.StringValue(string(defaultTokenEndpointAuthMethod)))
	return m
}

func configuredOr[T attr.Value](configured, planned, byDefault T) T {
	if configured.IsNull() {
		return byDefault
	}
	return planned
}

// discover creates the provider of an MCP server. The discovery request accepts nothing else, so the rest of the
// configuration is sent as a change.
func discover(ctx context.Context, op *framework.Operation[model]) (*model, diag.Diagnostics) {
	plan, c := op.Plan, writer(op.ProviderData, op.Plan.WorkspaceID)
	made, err := c.CreateMCPOAuthProvider(ctx, plan.toDiscover())
	if err != nil {
		return nil, notCreated(ctx, op, err)
	}
	current := newModel(plan, *made)
	patch := framework.KeepPlanned(ctx, plan, current).toPatch(current)
	if patch == (api.OAuthProviderUpdateRequest{}) {
		return &current, nil
	}
	patched, err := c.PatchOAuthProvider(ctx, plan.ProviderID.ValueString(), patch, made.UpdatedAt)
	if err != nil {
		// The client is registered. After an error, the next apply would replace the provider and register another client.
		return &current, framework.AsWarnings(plan.failure("complete").Diagnostics(err), "The provider was created without the rest of its "+
			"configuration. The next plan shows the difference, and the next apply changes it in place.")
	}
	return new(newModel(plan, *patched)), nil
}
