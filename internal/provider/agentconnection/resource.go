package agentconnection

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/lookup"
)

// NewResource is the resource agentplane_agent_connection.
func NewResource() resource.Resource {
	return framework.NewResource(framework.ResourceSpec[model]{
		Name: "agent_connection", Noun: "connection", Schema: connectionSchema, Importer: importer{byProvider: true},
		Label:     func(m model) string { return label(m.AgentID, m.ID) },
		Workspace: func(m *model) *types.String { return &m.WorkspaceID },
		Plan:      plan, Create: create, Confirm: confirm, Refresh: refresh, Update: update, Delete: remove,
	})
}

func create(ctx context.Context, op *framework.Operation[model]) (*model, diag.Diagnostics) {
	made, existed, diags := connect(ctx, op)
	if made == nil {
		return nil, diags
	}
	by := op.Plan.choice()
	diags.Append(by.save(ctx, op.Private)...)
	if existed {
		diags.AddAttributeWarning(path.Root("provider_id"), fmt.Sprintf("Agent %q was already connected", op.Plan.AgentID.ValueString()),
			fmt.Sprintf("Connection %s to the token of %s existed before, for example because a login has made it, and is now managed here. "+
				"If another resource manages it as well, remove one of the two.", made.ID.ValueString(), by))
	}
	return made, diags
}

// confirm finds a connection that has just been made. There is no operation to read a single one.
func confirm(ctx context.Context, op *framework.Operation[model], made model) (model, error) {
	if made.ID.IsNull() {
		return made, nil
	}
	_, err := op.In(made.WorkspaceID).AgentConnections(made.AgentID.ValueString()).Get(ctx, made.ID.ValueString())
	return made, err
}

// update connects the agent if the connection is pending. Every change of what exists replaces it, except for another choice of the
// same token.
func update(ctx context.Context, op *framework.Operation[model]) (*model, diag.Diagnostics) {
	by := op.Plan.choice()
	if !op.State.ID.IsNull() {
		chosen := op.State.chosen(by)
		chosen.Status = types.StringValue(connected)
		return &chosen, by.save(ctx, op.Private)
	}
	made, _, diags := connect(ctx, op)
	if made == nil {
		return nil, diags
	}
	diags.Append(by.save(ctx, op.Private)...)
	if !made.ID.IsNull() {
		diags.Append(op.Confirm(ctx, made)...)
	}
	return made, diags
}

func remove(ctx context.Context, op *framework.Operation[model]) diag.Diagnostics {
	state := *op.State
	if state.ID.IsNull() {
		return nil
	}
	here := connectingTo(op.ProviderData, op.In(state.WorkspaceID), state.AgentID.ValueString())
	here.Lock()
	defer here.Unlock()
	if here.found[state.ID.ValueString()] {
		return nil
	}
	return disconnect(ctx, op.ProviderData, state.identity())
}

// NewTokenResource is the resource agentplane_agent_provider_token.
func NewTokenResource() resource.Resource {
	return framework.NewResource(framework.ResourceSpec[tokenModel]{
		Name: "agent_provider_token", Noun: "token", Schema: tokenSchema, Importer: importer{}, Failure: tokenModel.failure,
		Label:     func(m tokenModel) string { return label(m.AgentID, m.ID) },
		Workspace: func(m *tokenModel) *types.String { return &m.WorkspaceID },
		Secrets: func(m tokenModel) []string {
			return []string{m.AccessTokenWO.ValueString(), m.RefreshTokenWO.ValueString()}
		},
		ImportID: func(m tokenModel, id string) string { return importID(m.AgentID, id) },
		Plan:     planToken, Create: createToken, Taken: takenToken, Confirm: framework.Confirming(newTokenModel, getToken),
		Read: readToken, Update: updateToken, Delete: removeToken,
	})
}

// failure describes a failed operation on a token.
func (m tokenModel) failure(verb string) framework.Failure {
	if verb == "create" {
		failure := tokenFailure("store a", m.AgentID)
		failure.TimeUp = "Apply again, with a longer timeouts.create if it was waiting for another token to be deleted."
		return failure
	}
	return tokenFailure(verb+" the", m.AgentID)
}

// defaultTokenTimeout is how long a creation may take.
const defaultTokenTimeout = 10 * time.Minute

// planToken checks that the agent has no other token, and plans an unknown expiry if the tokens are sent.
func planToken(ctx context.Context, planning *framework.Planning[tokenModel]) (tokenModel, diag.Diagnostics) {
	planned, state := planning.Plan, planning.State
	var diags diag.Diagnostics
	if state == nil || !planned.sameKey(*state) {
		destroyed := ""
		if state != nil {
			destroyed = "Token " + state.ID.ValueString()
		}
		diags = checkKey(ctx, planning.ProviderData, planned, state)
		diags.Append(lookup.CheckOAuthProvider(ctx, planning.ProviderData, planned.WorkspaceID, planned.ProviderID, destroyed)...)
	} else {
		diags = planned.warnOfExpiry(*state, planning.Now())
	}
	if state != nil && planned.sends(*state, planning.Now()) {
		planned.ExpiresAt = types.StringUnknown()
	}
	return planned, diags
}

// createToken stores the token unless the agent has another one.
func createToken(ctx context.Context, op *framework.Operation[tokenModel]) (*tokenModel, diag.Diagnostics) {
	plan, c := op.Plan, op.In(op.Plan.WorkspaceID)
	limit, _ := plan.Timeouts.Create(ctx, defaultTokenTimeout) // A validator has refused what isn't a duration.
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	before, other, err := awaitKey(ctx, op.ProviderData, c, plan)
	switch {
	case err != nil:
		return nil, plan.failure("create").Diagnostics(err)
	case other != nil:
		return nil, framework.NewError(plan.failure("create").Summary, "%s", takenBy(op.ProviderData, plan, *other))
	}
	answer, adopted, err := c.CreateAgentProviderToken(ctx, plan.AgentID.ValueString(), plan.ProviderID.ValueString(), plan.toUpsert(), before)
	if err != nil {
		return nil, op.Failed(ctx, err)
	}
	if adopted {
		unknown := fmt.Sprintf("Connection %s was probably made by this apply. If it is yours, %s", answer.ID,
			op.TakeOver(plan.WorkspaceID, importID(plan.AgentID, answer.ID)))
		looking, done := c.WithGrace(ctx) // After Ctrl-C, too: the token would be lost.
		defer done()
		if diags := refuseUsers(looking, c.ListOAuthTokens, *answer, unknown); diags.HasError() {
			return nil, diags
		}
	}
	written(op.ProviderData).Store(answer.ID, true)
	return new(newTokenModel(plan, *answer)), nil
}

// takenToken names the token that the agent has instead of one that can't be created.
func takenToken(ctx context.Context, op *framework.Operation[tokenModel]) string {
	c := op.In(op.Plan.WorkspaceID)
	connections, err := client.Collect(c.AgentConnections(op.Plan.AgentID.ValueString()).List(ctx))
	own, wrong := ownTokens(ctx, c.ListOAuthTokens, connections, op.Plan.ProviderID.ValueString())
	if err != nil || wrong != nil || len(own) == 0 {
		return ""
	}
	return takenBy(op.ProviderData, op.Plan, own[0])
}

func getToken(ctx context.Context, c *client.Client, created tokenModel) (*api.AgentConnectionResponse, error) {
	return c.AgentConnections(created.AgentID.ValueString()).Get(ctx, created.ID.ValueString())
}

func readToken(ctx context.Context, op *framework.Operation[tokenModel]) (*tokenModel, diag.Diagnostics) {
	found, diags := find(ctx, op.ProviderData, op.State.identity())
	if found == nil {
		return nil, diags
	}
	if op.State.ProviderID.IsNull() { // An import.
		if diags.Append(refuseUsers(ctx, usersTokens(op.ProviderData, op.In(op.State.WorkspaceID)), *found, "")...); diags.HasError() {
			return nil, diags
		}
	}
	return new(newTokenModel(*op.State, *found)), diags
}

// updateToken sends the whole token, because the service has no partial update. A token that was deleted after the plan is an error: sending
// it would create another one.
func updateToken(ctx context.Context, op *framework.Operation[tokenModel]) (*tokenModel, diag.Diagnostics) {
	plan, state := op.Plan, *op.State
	diags := plan.refuseStale(state, op.Now())
	switch {
	case diags.HasError():
		return nil, diags
	case !plan.ExpiresAt.IsUnknown() || !plan.sends(state, op.Now()):
		return &state, diags
	}
	c := op.In(plan.WorkspaceID)
	before, err := currentToken(ctx, op.ProviderData, c, state)
	switch {
	case client.IsNotFound(err):
		return nil, framework.NewError(plan.failure("update").Summary, "Token %s no longer exists: it was deleted after this plan. Plan again.",
			state.ID.ValueString())
	case err != nil:
		return nil, op.Failed(ctx, err)
	}
	answer, err := c.UpdateAgentProviderToken(ctx, *before, plan.toUpsert())
	if err != nil {
		return nil, op.Failed(ctx, err)
	}
	written(op.ProviderData).Store(answer.ID, true)
	return new(newTokenModel(plan, *answer)), nil
}

// currentToken reads the connection of a state, twice if necessary, because a list may lag behind.
func currentToken(ctx context.Context, provider *framework.ProviderData, c *client.Client, state tokenModel) (*api.AgentConnectionResponse, error) {
	found, err := getToken(ctx, c, state)
	if client.IsNotFound(err) && provider.Policy().Sleep(ctx, readAgainAfter) == nil {
		found, err = getToken(ctx, c, state)
	}
	return found, err
}

// readAgainAfter is the time between two reads of a token that a list doesn't have.
const readAgainAfter = 3 * time.Second

// removeToken deletes the token of a state, and nothing that was written later.
func removeToken(ctx context.Context, op *framework.Operation[tokenModel]) diag.Diagnostics {
	state, id := *op.State, op.State.ID.ValueString()
	deleted, ended := false, beginDeletion(op.ProviderData, id)
	defer func() { ended(deleted) }()
	found, err := op.In(state.WorkspaceID).AgentConnections(state.AgentID.ValueString()).Get(ctx, id)
	if err != nil && !client.IsNotFound(err) {
		return op.Failed(ctx, err)
	}
	_, rewritten := written(op.ProviderData).Load(id)
	if rewritten || err == nil && !sameTime(state.CreatedAt.ValueString(), found.CreatedAt) {
		return framework.NewWarning("Token is kept", "Token %s was stored again after the one in this state, by another resource or another user. It "+
			"was removed from this state, not deleted.", label(state.AgentID, state.ID))
	}
	diags := disconnect(ctx, op.ProviderData, state.identity())
	deleted = !diags.HasError()
	return diags
}

// importer imports connections of agents, which are listed by agent only.
type importer struct {
	// byProvider also imports by the OAuth provider of the token.
	byProvider bool
}

// IdentitySchema implements framework.ResourceImporter.
func (i importer) IdentitySchema() identityschema.Schema {
	attributes := map[string]identityschema.Attribute{
		"workspace_id": identityschema.StringAttribute{
			OptionalForImport: true, Description: "Workspace of the connection. Default: the provider's.",
		},
		"agent_id": identityschema.StringAttribute{RequiredForImport: true, Description: "ID of the agent."},
		"id":       identityschema.StringAttribute{RequiredForImport: true, Description: "ID of the connection."},
	}
	if i.byProvider {
		attributes["id"] = identityschema.StringAttribute{
			OptionalForImport: true, Description: "ID of the connection, unless provider_id is set.",
		}
		attributes["provider_id"] = identityschema.StringAttribute{
			OptionalForImport: true, Description: "The provider_id of the OAuth provider, for a connection that is configured with it.",
		}
		attributes["provider_account_label"] = identityschema.StringAttribute{
			OptionalForImport: true, Description: "The provider_account_label, if that is configured, too.",
		}
	}
	return identityschema.Schema{Attributes: attributes}
}

// Import implements framework.ResourceImporter: by identity, or as AGENT_ID/CONNECTION_ID or AGENT_ID/provider:PROVIDER_ID, with :LABEL after
// the latter or not, and with WORKSPACE_ID/ before it or not.
func (i importer) Import(ctx context.Context, p *framework.ProviderData, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	found, diags := i.find(ctx, req)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	found.WorkspaceID, found.ID = p.KnownWorkspace(framework.CanonicalID(found.WorkspaceID)), framework.CanonicalID(found.ID)
	if !i.byProvider {
		framework.StoreImported(ctx, resp, found.identityModel)
		return
	}
	framework.StoreImported(ctx, resp, found)
	by := choice{found.ProviderID.ValueString(), found.ProviderAccountLabel.ValueStringPointer()}
	resp.Diagnostics.Append(by.save(ctx, resp.Private)...)
}

// find reads what a request names.
func (i importer) find(ctx context.Context, req resource.ImportStateRequest) (found connectionIdentity, diags diag.Diagnostics) {
	switch {
	case framework.IsImportByIdentity(req) && i.byProvider:
		diags = req.Identity.Get(ctx, &found)
	case framework.IsImportByIdentity(req):
		diags = req.Identity.Get(ctx, &found.identityModel)
		return found, append(diags, found.identityModel.check(found.ID.ValueString())...)
	case i.byProvider:
		return parseConnectionID(req.ID)
	default:
		found.identityModel, diags = parseImportID(req.ID)
		return found, diags
	}
	return found, append(diags, found.check()...)
}

// check validates the identity of a connection with an ID.
func (m identityModel) check(id string) diag.Diagnostics {
	var diags diag.Diagnostics
	if m.AgentID.ValueString() == "" {
		diags.AddError("Invalid identity", `agent_id is "", but it must be the ID of an agent.`)
	}
	return append(diags, framework.CheckIdentity(m.WorkspaceID, "id", id, framework.ParseImportID)...)
}

// parseImportID reads AGENT_ID/CONNECTION_ID or WORKSPACE_ID/AGENT_ID/CONNECTION_ID. The ID of an agent may have slashes in it: only a
// UUID before two other parts is a workspace.
func parseImportID(text string) (identityModel, diag.Diagnostics) {
	found, rest := identityModel{}, text
	if workspaceID, after, qualified := strings.Cut(text, "/"); qualified && strings.Contains(after, "/") {
		if _, err := uuid.Parse(workspaceID); err == nil {
			found.WorkspaceID, rest = types.StringValue(workspaceID), after
		}
	}
	slash := strings.LastIndex(rest, "/")
	if slash < 1 || slash == len(rest)-1 {
		return identityModel{}, framework.NewError("Invalid import ID", "%q is not AGENT_ID/CONNECTION_ID or WORKSPACE_ID/AGENT_ID/CONNECTION_ID. "+
			"The data source agentplane_agent_connections lists the connections of an agent.", text)
	}
	found.AgentID, found.ID = types.StringValue(rest[:slash]), types.StringValue(rest[slash+1:])
	return found, nil
}

// check validates the identity's attributes.
func (c connectionIdentity) check() diag.Diagnostics {
	var diags diag.Diagnostics
	if providerID := c.ProviderID.ValueString(); !c.ProviderID.IsNull() && !api.ProviderIDForm.MatchString(providerID) {
		diags.AddError("Invalid identity", fmt.Sprintf("provider_id is %q, but it must be the provider_id of an OAuth provider.", providerID))
	}
	if label := c.ProviderAccountLabel; !label.IsNull() && (label.ValueString() == "" || c.ProviderID.IsNull()) {
		diags.AddError("Invalid identity", fmt.Sprintf("provider_account_label is %q, but it must be a label of an account beside provider_id.",
			label.ValueString()))
	}
	id := uuid.Nil.String()
	if c.ID.IsNull() == c.ProviderID.IsNull() {
		diags.AddError("Invalid identity", "Exactly one of id and provider_id must be set.")
	} else if !c.ID.IsNull() {
		id = c.ID.ValueString()
	}
	return append(diags, c.identityModel.check(id)...)
}

// chosenBy is before the OAuth provider in an import ID.
const chosenBy = "/provider:"

// parseConnectionID reads an import ID.
func parseConnectionID(text string) (connectionIdentity, diag.Diagnostics) {
	at := strings.LastIndex(text, chosenBy)
	if at < 1 {
		id, diags := parseImportID(text)
		return connectionIdentity{identityModel: id}, diags
	}
	providerID, label, labelled := strings.Cut(text[at+len(chosenBy):], ":")
	id, diags := parseImportID(text[:at] + "/" + providerID)
	found := connectionIdentity{identityModel: id, ProviderID: types.StringValue(providerID)}
	found.ID = types.StringNull()
	if labelled {
		found.ProviderAccountLabel = types.StringValue(label)
	}
	if strings.Contains(providerID, "/") || labelled && label == "" {
		diags = framework.NewError("Invalid import ID", "After provider: comes the provider_id of an OAuth provider, and after another colon the "+
			"provider_account_label, if that is configured.")
	}
	return found, diags
}
