package agentconnection

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/poll"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/lookup"
)

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
		return diag.Diagnostics{diag.NewErrorDiagnostic("Not a token of the agent", fmt.Sprintf("Connection %s lets agent %q use a token of the "+
			"user. Manage it as agentplane_agent_connection: an agentplane_agent_provider_token would delete the user's connection.",
			found.ID, found.AgentID))}
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
	_, err = poll.Until(ctx, policy, keyTime, func(error) bool { return waiting }, func(ctx context.Context) (_ struct{}, free bool, err error) {
		taken = nil
		if before, err = client.Collect(c.AgentConnections(agentID).List(ctx)); err != nil {
			return struct{}{}, false, err
		}
		own, err := ownTokens(ctx, c.ListOAuthTokens, before, providerID)
		for _, holder := range own {
			deleted, err := awaitDeletion(ctx, provider, holder.ID)
			if err != nil {
				return struct{}{}, false, err
			}
			if !deleted {
				taken, waiting = &holder, true
			}
		}
		return struct{}{}, taken == nil && err == nil, err
	})
	if taken != nil && errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = nil
	}
	return before, taken, err
}

// deletion is a deletion by this process.
type deletion struct {
	ended   chan struct{}
	deleted bool
}

func deletions(provider *framework.ProviderData) *sync.Map {
	return framework.SharedMap(provider.Memo, "deleted tokens")
}

// written are the IDs of the connections that this process has written.
func written(provider *framework.ProviderData) *sync.Map {
	return framework.SharedMap(provider.Memo, "written tokens")
}

// beginDeletion records that a token is being deleted, until ended is called.
func beginDeletion(provider *framework.ProviderData, id string) (ended func(deleted bool)) {
	d := &deletion{ended: make(chan struct{})}
	deletions(provider).Store(id, d)
	return func(deleted bool) {
		d.deleted = deleted
		close(d.ended)
	}
}

// awaitDeletion waits for the deletion of a token by this process, if there is one, and reports whether it succeeded: a list that still
// has the token is stale then.
func awaitDeletion(ctx context.Context, provider *framework.ProviderData, id string) (bool, error) {
	found, ok := deletions(provider).Load(id)
	d, is := found.(*deletion)
	if !ok || !is {
		return false, nil
	}
	select {
	case <-d.ended:
		return d.deleted, nil
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
