package authservice

import (
	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
)

// tokenExists reports whether the caller has a token for a provider.
func tokenExists(c *rest.Call) (rest.Answer, error) {
	p := c.Params()
	providerID := p.Required("provider_id")
	if err := p.Err(); err != nil {
		return rest.Answer{}, err
	}
	has, err := hasToken(c, providerID)
	return rest.OK(api.OAuthTokenStatusResponse{HasToken: has}), err
}

// tokensExist reports for each of several providers whether the caller has a token.
func tokensExist(c *rest.Call, request api.OAuthTokenStatusBatchRequest) (rest.Answer, error) {
	if len(request.ProviderIDs) > limits.ListedIDs {
		return rest.Answer{}, form.Problem(form.Body("provider_ids"), "too_long", "List should have at most %d items after validation", limits.ListedIDs)
	}
	answer := api.OAuthTokenStatusBatchResponse{HasToken: map[string]bool{}}
	for _, id := range request.ProviderIDs {
		var err error
		if answer.HasToken[id], err = hasToken(c, id); err != nil {
			return rest.Answer{}, err
		}
	}
	return rest.OK(answer), nil
}

func hasToken(c *rest.Call, providerID string) (bool, error) {
	rows, err := c.Tx.OAuthTokens(c.WorkspaceID, c.UserID, &providerID)
	return len(rows) > 0, err
}

// slackTokenExists reports whether any user in the workspace has a token for a provider of type slack.
func slackTokenExists(c *rest.Call) (rest.Answer, error) {
	rows, err := c.Tx.OAuthTokensOfType(c.WorkspaceID, string(api.OAuthProviderSlack))
	return rest.OK(api.OAuthTokenStatusResponse{HasToken: len(rows) > 0}), err
}

// deleteSlackTokens deletes them. The service allows that only to administrators; here, everyone with a key is one.
func deleteSlackTokens(c *rest.Call) (rest.Answer, error) {
	rows, err := c.Tx.OAuthTokensOfType(c.WorkspaceID, string(api.OAuthProviderSlack))
	if err == nil {
		err = revokeAll(c, rows, "all Slack tokens of the workspace deleted")
	}
	return rest.OK(api.MessageResponse{Message: "Slack tokens of the workspace revoked"}), err
}
