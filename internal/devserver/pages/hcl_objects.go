package pages

import (
	"encoding/json"
	"reflect"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// argumentList is a list of arguments, without those that aren't set.
type argumentList struct {
	writer hclWriter
	all    []argument
}

func (l *argumentList) set(name string, value any) {
	if tokens := l.writer.value(reflect.ValueOf(value)); tokens != nil {
		l.all = append(l.all, argument{name, tokens})
	}
}

// hclOfListeners returns the configuration of listeners.
func hclOfListeners(listeners []api.Listener) string {
	c := newConfiguration()
	for _, listener := range listeners {
		l := argumentList{}
		all := l.writer.members(reflect.ValueOf(listener), func(name string) bool {
			return !slices.Contains([]string{"id", "created_at", "updated_at"}, name)
		})
		c.add("agentplane_listener", listener.ComputeID, listener.ID, all)
	}
	return c.String()
}

// hclOfPrices returns the configuration of model prices.
func hclOfPrices(rows []store.ModelPrice) string {
	c := newConfiguration()
	for _, row := range rows {
		entry := priceEntry(row)
		l := argumentList{}
		l.all = l.writer.members(reflect.ValueOf(entry), func(string) bool { return true })
		for i := range l.all {
			if l.all[i].name == "provider" { // Terraform reserves the word.
				l.all[i].name = "model_provider"
			}
		}
		c.add("agentplane_model_price", entry.Name, row.ID, l.all)
	}
	return c.String()
}

// hclOfProviders returns the configuration of OAuth providers, without their secrets.
func hclOfProviders(rows []store.OAuthProvider) string {
	c := newConfiguration()
	for _, row := range rows {
		l := argumentList{}
		l.set("provider_id", row.ProviderID)
		l.set("name", row.Name)
		l.set("mcp_server_url", row.MCPServerURL)
		if row.MCPServerURL == nil { // Else the service has found these.
			l.set("client_id", row.ClientID)
			l.set("auth_url", row.AuthURL)
			l.set("token_url", row.TokenURL)
			l.set("token_endpoint_auth_method", row.TokenEndpointAuthMethod)
			l.set("uses_pkce", row.UsesPKCE)
			l.set("code_challenge_method", row.CodeChallengeMethod)
		}
		l.set("provider_type", row.ProviderType)
		var parameters map[string]string
		var redirects []string
		_, _ = json.Unmarshal([]byte(row.AuthorizationParams), &parameters), json.Unmarshal([]byte(row.AllowedRedirectURIs), &redirects) // Such were stored.
		if len(parameters) > 0 {
			l.set("authorization_params", parameters)
		}
		if len(redirects) > 0 {
			l.set("allowed_redirect_uris", redirects)
		}
		c.add("agentplane_oauth_provider", row.ProviderID, row.ProviderID, l.all)
	}
	return c.String()
}

// hclOfConnections returns the configuration of agents' connections.
func hclOfConnections(rows []store.AgentConnection) string {
	c := newConfiguration()
	for _, row := range rows {
		l := argumentList{}
		l.set("agent_id", row.AgentID)
		l.set("oauth_token_id", row.Token.ID)
		c.add("agentplane_agent_connection", row.AgentID, row.AgentID+"/"+row.ID, l.all)
	}
	return c.String()
}
