package agentconnection

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/poll"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/lookup"
)

// connecting are the connections of an agent that this apply has made, or has found in the service instead. If the address of a resource
// has changed, the old address deletes the connection that the new one needs, before or after that.
type connecting struct {
	sync.Mutex
	found map[string]bool
}

func connectingTo(p *framework.ProviderData, c *client.Client, agentID string) *connecting {
	shared, _ := framework.Remember(p.Memo, "connecting/"+c.WorkspaceID()+"/"+agentID, func() (*connecting, error) {
		return &connecting{found: map[string]bool{}}, nil
	})
	return shared
}

// connect connects the agent to the token of a plan, or to the chosen one: of those, it takes over the connection that a login has
// made. Without a token, the connection is pending. The result is nil only after an error.
func connect(ctx context.Context, op *framework.Operation[model]) (made *model, existed bool, _ diag.Diagnostics) {
	plan, by, tokenID := op.Plan, op.Plan.choice(), op.Plan.OAuthTokenID.ValueString()
	c, agentID := op.In(plan.WorkspaceID), plan.AgentID.ValueString()
	here := connectingTo(op.ProviderData, c, agentID)
	here.Lock()
	defer here.Unlock()
	if by.made() {
		tokens, err := c.ListOAuthTokens(ctx, by.ProviderID)
		if err != nil {
			return nil, false, failure("look for a token of", plan.AgentID).Diagnostics(err)
		}
		token := by.from(tokens)
		if token == nil {
			if lacks, err := lookup.LacksOAuthProvider(ctx, op.ProviderData, c, by.ProviderID); err == nil && lacks {
				return nil, false, framework.ErrorAt(path.Root("provider_id"), failure("connect", plan.AgentID).Summary, "%s",
					lookup.NoOAuthProvider(by.ProviderID))
			}
			return new(newPending(plan.WorkspaceID, plan.AgentID, nil, by)), false, by.warn(plan.AgentID)
		}
		tokenID = token.ID
		found, err := connectionTo(c.AgentConnections(agentID).List(ctx), tokenID)
		if err != nil {
			return nil, false, failure("read the connections of", plan.AgentID).Diagnostics(err)
		}
		if found != nil {
			if _, others := here.found[found.ID]; others {
				return nil, false, framework.ErrorAt(path.Root("provider_id"), "Connection is claimed twice", "Connection %s to the user's token of %s "+
					"belongs to another resource of this apply. Remove one of the resources.", found.ID, by)
			}
			here.found[found.ID] = true
			return new(newModel(plan.WorkspaceID, *found, by)), true, nil
		}
	}
	created, err := c.CreateAgentConnection(ctx, agentID, tokenID)
	if err != nil {
		return nil, false, connectFailure(ctx, op.ProviderData, c, plan, tokenID, err).Diagnostics(err)
	}
	here.found[created.ID] = false
	return new(newModel(plan.WorkspaceID, *created, by)), false, nil
}

// refresh reads the connection of a state. A connection that was chosen by its OAuth provider stays in the state as pending when it is gone,
// with the token to which the next apply connects the agent.
func refresh(ctx context.Context, op *framework.Operation[model]) (*model, framework.Presence, diag.Diagnostics) {
	state, p := *op.State, op.ProviderData
	by, diags := loadChoice(ctx, op.Private)
	if diags.HasError() {
		return nil, framework.Shown, diags
	}
	if state.ID.IsNull() {
		refreshed, err := lookForToken(ctx, p, state, by)
		if err != nil { // The state stays true. What is pending alone must not end a destroy.
			diags.AddWarning("Cannot look for a token", fmt.Sprintf("Agent %q is not connected, and it isn't known whether the user has a token "+
				"of %s: %s", state.AgentID.ValueString(), by, framework.Sentence(err.Error())))
			return &state, framework.Shown, diags
		}
		return &refreshed, framework.Shown, nil
	}
	found, presence, diags := framework.LookTwice(ctx, p, op.Private, "connection", label(state.AgentID, state.ID),
		func(ctx context.Context, p *framework.ProviderData) (*api.AgentConnectionResponse, string, diag.Diagnostics) {
			found, diags := find(ctx, p, state.identity())
			if found == nil && !diags.HasError() {
				return nil, framework.Missing, diags
			}
			return found, "", diags
		})
	switch {
	case diags.HasError() || presence == framework.NotShown || presence == framework.Gone && !by.made():
		return nil, presence, diags
	case presence == framework.Shown:
		return new(newModel(state.WorkspaceID, *found, by)), presence, diags
	}
	diags = nil // It stays in the state.
	waiting, err := lookForToken(ctx, p, state, by)
	if err != nil {
		return nil, presence, failure("look for a token of", state.AgentID).Diagnostics(err)
	}
	var what string
	switch id := state.ID.ValueString(); {
	case !waiting.ID.IsNull(): // Another login has connected the agent again.
		return &waiting, framework.Shown, diags
	case !waiting.Resolved.IsNull():
		what = fmt.Sprintf("Connection %s was removed. The next apply connects the agent again.", id)
	default:
		what = fmt.Sprintf("Connection %s no longer exists, for example because the user has logged out of OAuth provider %q. The connection "+
			"is pending until the user has a token again; then an apply connects the agent.", id, by.ProviderID)
	}
	diags.AddWarning(fmt.Sprintf("Agent %q is no longer connected", state.AgentID.ValueString()), what)
	return &waiting, framework.Shown, diags
}

// lookForToken returns a pending connection, with its token if the user has one, or the connection to it.
func lookForToken(ctx context.Context, p *framework.ProviderData, state model, by choice) (model, error) {
	c := p.In(state.WorkspaceID)
	tokens, err := lookup.UserTokens(ctx, p, c)
	token := by.from(tokens)
	if err != nil || token == nil {
		return newPending(state.WorkspaceID, state.AgentID, nil, by), err
	}
	found, err := connectionTo(client.Items(connectionsOf(ctx, p, c, state.AgentID.ValueString())), token.ID)
	if found != nil {
		return newModel(state.WorkspaceID, *found, by), nil
	}
	return newPending(state.WorkspaceID, state.AgentID, token, by), err
}

// connectFailure describes a failed creation of a connection.
func connectFailure(ctx context.Context, p *framework.ProviderData, c *client.Client, plan model, tokenID string, err error) framework.Failure {
	failure := failure("connect", plan.AgentID)
	failure.NextSteps[http.StatusNotFound] = "Check oauth_token_id: it must be a token of the user of the provider's " +
		"API key. The data source agentplane_oauth_tokens lists them."
	if plan.choice().made() {
		failure.NextSteps[http.StatusNotFound] = "The user's token was deleted meanwhile. Plan again."
	}
	failure.NextSteps[http.StatusConflict] = taken(ctx, p, c, plan, tokenID)
	failure.Last = p.Found(plan.WorkspaceID, err, func(id string) string { return importID(plan.AgentID, id) })
	return failure
}

// taken returns the remedies if the agent is already connected to the token. If the list fails, they don't name the connection.
func taken(ctx context.Context, provider *framework.ProviderData, c *client.Client, plan model, tokenID string) string {
	agentID := plan.AgentID.ValueString()
	if connection, err := connectionTo(c.AgentConnections(agentID).List(ctx), tokenID); err == nil && connection != nil {
		return fmt.Sprintf("Connection %s has that token.\n\n%s", connection.ID,
			provider.Taken(plan.WorkspaceID, agentID+"/"+connection.ID, "connection", "oauth_token_id"))
	}
	return "The agent is already connected to the token. Import the connection as AGENT_ID/CONNECTION_ID; the data source " +
		"agentplane_agent_connections lists the connections of the agent."
}

// connectionTo returns the connection of an agent to a token, and nil if its connections have none.
func connectionTo(connections iter.Seq2[api.AgentConnectionResponse, error], tokenID string) (*api.AgentConnectionResponse, error) {
	return client.Find(connections, func(found api.AgentConnectionResponse) bool { return client.SameID(found.OAuthTokenID, tokenID) })
}

// connectionsOf lists the connections of an agent, once for each plan.
func connectionsOf(ctx context.Context, provider *framework.ProviderData, c *client.Client, agentID string) ([]api.AgentConnectionResponse, error) {
	return framework.RememberList(provider, "connections of "+agentID, c, func() ([]api.AgentConnectionResponse, error) {
		return client.Collect(c.AgentConnections(agentID).List(ctx))
	})
}

// disconnect removes a token from an agent. A token of the agent itself is deleted with that.
func disconnect(ctx context.Context, provider *framework.ProviderData, id identityModel) diag.Diagnostics {
	err := provider.In(id.WorkspaceID).AgentConnections(id.AgentID.ValueString()).Delete(ctx, id.ID.ValueString())
	if err != nil && !client.IsNotFound(err) {
		return failure("disconnect", id.AgentID).Diagnostics(err)
	}
	return nil
}

// find returns nil without an error if the agent has no such connection.
func find(ctx context.Context, provider *framework.ProviderData, id identityModel) (*api.AgentConnectionResponse, diag.Diagnostics) {
	connections := client.Items(connectionsOf(ctx, provider, provider.In(id.WorkspaceID), id.AgentID.ValueString()))
	found, err := client.Find(connections, func(c api.AgentConnectionResponse) bool { return client.SameID(c.ID, id.ID.ValueString()) })
	if err != nil {
		return nil, failure("read a connection of", id.AgentID).Diagnostics(err)
	}
	return found, nil
}

// failure describes a failed operation on an agent.
func failure(verb string, agentID types.String) framework.Failure {
	return framework.Failure{Summary: fmt.Sprintf("Cannot %s agent %q", verb, agentID.ValueString()), NextSteps: map[int]string{}}
}

func label(agentID, id types.String) string {
	return fmt.Sprintf("%s of agent %q", id.ValueString(), agentID.ValueString())
}

// tokenFailure describes a failed operation on a token of an agent.
func tokenFailure(verb string, agentID types.String) framework.Failure {
	f := failure(verb+" token of", agentID)
	f.NextSteps[http.StatusNotFound] = "Check provider_id. The resource agentplane_oauth_provider registers an OAuth provider."
	f.NextSteps[http.StatusConflict] = "Another user has already given the agent a token of this OAuth " +
		"provider. That user or an administrator must remove it first."
	return f
}

// importID is the import ID of a connection.
func importID(agentID types.String, id string) string { return agentID.ValueString() + "/" + id }

const (
	// keyTime is how long to wait for another token to disappear that this apply doesn't delete: lists may lag behind.
	keyTime = 30 * time.Second
	// keyPause is the shortest pause between two reads.
	keyPause = 2 * time.Second
)

// usersList lists the tokens of the user, for all OAuth providers or for one.
type usersList func(ctx context.Context, providerID string) ([]api.OAuthTokenSummary, error)

// usersTokens is the list of all tokens of the user. One request serves the whole plan.
func usersTokens(provider *framework.ProviderData, c *client.Client) usersList {
	return func(ctx context.Context, _ string) ([]api.OAuthTokenSummary, error) {
		return lookup.UserTokens(ctx, provider, c)
	}
}

// ownTokens returns the connections to tokens of the agent itself, for all OAuth providers if providerID is empty. The agent's list also
// has those to tokens of the user, which only the user's own list identifies.
func ownTokens(ctx context.Context, users usersList, connections []api.AgentConnectionResponse, providerID string) ([]api.AgentConnectionResponse, error) {
	own := slices.DeleteFunc(slices.Clone(connections), func(found api.AgentConnectionResponse) bool {
		return providerID != "" && found.ProviderID != providerID
	})
	if len(own) == 0 {
		return nil, nil
	}
	tokens, err := users(ctx, providerID)
	return slices.DeleteFunc(own, func(found api.AgentConnectionResponse) bool {
		return slices.ContainsFunc(tokens, func(token api.OAuthTokenSummary) bool { return client.SameID(token.ID, found.OAuthTokenID) })
	}), err
}

// refuseUsers refuses a connection to a token of the user. If that isn't known, the error ends with unknown.
func refuseUsers(ctx context.Context, users usersList, found api.AgentConnectionResponse, unknown string) diag.Diagnostics {
	own, err := ownTokens(ctx, users, []api.AgentConnectionResponse{found}, found.ProviderID)
	switch agentID := types.StringValue(found.AgentID); {
	case err != nil:
		failure := tokenFailure("read a", agentID)
		failure.Last = unknown
		return failure.Diagnostics(err)
	case len(own) == 0:
		return framework.NewError("Not a token of the agent", "Connection %s lets agent %q use a token of the user. Manage it as "+
			"agentplane_agent_connection: an agentplane_agent_provider_token would delete the user's connection.", found.ID, found.AgentID)
	}
	return nil
}

// awaitKey waits until the agent has no token of its own for the OAuth provider: for some time, and while this apply deletes it. It
// returns the agent's connections, and the token that is still there, if any.
func awaitKey(ctx context.Context, provider *framework.ProviderData, c *client.Client, plan tokenModel) (
	before []api.AgentConnectionResponse, taken *api.AgentConnectionResponse, err error,
) {
	policy, agentID, providerID := provider.Policy(), plan.AgentID.ValueString(), plan.ProviderID.ValueString()
	policy.Min = keyPause
	waiting := false // The key was seen to be taken: from then on, no error ends the wait.
	_, err = poll.Until(ctx, policy, keyTime, func(ctx context.Context) (_ struct{}, done bool, err error) {
		taken = nil
		if before, err = client.Collect(c.AgentConnections(agentID).List(ctx)); err != nil {
			return struct{}{}, !waiting, err
		}
		own, err := ownTokens(ctx, c.ListOAuthTokens, before, providerID)
		for _, holder := range own {
			deleted, err := awaitDeletion(ctx, provider, holder.ID)
			if err != nil {
				return struct{}{}, !waiting, err
			}
			if !deleted {
				taken, waiting = &holder, true
			}
		}
		return struct{}{}, taken == nil && (err == nil || !waiting), err
	})
	if taken != nil && errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = nil
	}
	return before, taken, err
}

// deletions maps the IDs of connections to channels that close when this process's deletion ends. One that failed is left out.
func deletions(provider *framework.ProviderData) *sync.Map {
	return framework.SharedMap(provider.Memo, "deleted tokens")
}

// written are the IDs of the connections that this process has written.
func written(provider *framework.ProviderData) *sync.Map {
	return framework.SharedMap(provider.Memo, "written tokens")
}

// beginDeletion records that a token is being deleted, until ended is called.
func beginDeletion(provider *framework.ProviderData, id string) (ended func(deleted bool)) {
	done := make(chan struct{})
	deletions(provider).Store(id, done)
	return func(deleted bool) {
		if !deleted {
			deletions(provider).Delete(id)
		}
		close(done)
	}
}

// awaitDeletion waits for the deletion of a token by this process, if there is one, and reports whether it succeeded: a list that still
// has the token is stale then.
func awaitDeletion(ctx context.Context, provider *framework.ProviderData, id string) (bool, error) {
	found, _ := deletions(provider).Load(id)
	done, is := found.(chan struct{})
	if !is {
		return false, nil
	}
	select {
	case <-done:
		_, deleted := deletions(provider).Load(id)
		return deleted, nil
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// sameTime reports whether two texts are the same time. What isn't known counts as the same.
func sameTime(a, b string) bool {
	one, err := time.Parse(time.RFC3339, a)
	other, wrong := time.Parse(time.RFC3339, b)
	return err != nil || wrong != nil || one.Equal(other)
}
