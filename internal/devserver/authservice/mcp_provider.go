package authservice

import (
	"net/url"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/seal"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// createMCPOAuthProvider creates a provider for an MCP server: it discovers the server's authorization server and registers
// a client there.
func (s *Service) createMCPOAuthProvider(c *rest.Call, request api.MCPOAuthProviderCreateRequest) (rest.Answer, error) {
	var v form.Validator
	checkSlug(&v, request.ProviderID)
	server, err := url.Parse(request.MCPServerURL)
	if err == nil {
		err = s.outbound.check(server)
	}
	if err != nil {
		v.Add(form.Body("mcp_server_url"), "url_parsing", "Input should be a valid URL: %s", err)
	}
	if err := v.Err(); err != nil {
		return rest.Answer{}, err
	}
	ctx := c.Request.Context()
	// This is checked before registering a client that would otherwise be orphaned.
	if err := c.Do(ctx, func(in *rest.Call) error { return slugIsFree(in, request.ProviderID) }); err != nil {
		return rest.Answer{}, err
	}
	server.Fragment, server.RawFragment = "", ""
	d := discovery{client: s.outbound, server: server}
	found, err := d.find(ctx)
	if err == nil {
		err = d.register(ctx, found, request.Name, defaultRedirectURI(c, request.ProviderID))
	}
	if err != nil {
		if gone := ctx.Err(); gone != nil {
			return rest.Answer{}, gone
		}
		return rest.Answer{}, form.Broken("The OAuth provider of the MCP server can't be discovered: %s.", printable(err.Error()))
	}
	var row store.OAuthProvider
	err = c.Do(ctx, func(in *rest.Call) error {
		if err := slugIsFree(in, request.ProviderID); err != nil {
			return err
		}
		row = found.provider(server.String())
		row.ID, row.WorkspaceID, row.ProviderID, row.Name = uuid.NewString(), in.WorkspaceID, request.ProviderID, request.Name
		row.CreatedAt, row.UpdatedAt = in.Now, in.Now
		if found.clientSecret != "" {
			row.SealedClientSecret = s.cfg.Key.Seal(seal.ClientSecret+row.ID, found.clientSecret)
		}
		return in.Tx.InsertOAuthProvider(row)
	})
	if err != nil {
		return rest.Answer{}, err
	}
	return showOAuthProvider(c, row)
}

// provider converts what was discovered to a row.
func (f *authorizationServer) provider(mcpServerURL string) store.OAuthProvider {
	return store.OAuthProvider{
		ClientID: f.clientID, AuthURL: f.AuthorizationEndpoint, TokenURL: f.TokenEndpoint, UsesPKCE: true,
		CodeChallengeMethod: defaultChallengeMethod, TokenEndpointAuthMethod: f.authMethod, AuthorizationParams: "{}", AllowedRedirectURIs: "[]",
		MCPServerURL: &mcpServerURL, IsDynamicClient: true,
	}
}

// slugIsFree refuses a slug that is taken.
func slugIsFree(c *rest.Call, slug string) error {
	_, err := c.Tx.OAuthProvider(c.WorkspaceID, slug)
	return rest.OrTaken(err, "OAuth provider '%s' already exists.", slug)
}
