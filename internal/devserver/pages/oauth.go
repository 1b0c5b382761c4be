package pages

import (
	"bytes"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages/web"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// OAuthPath is the path of the page with the OAuth providers and tokens of a workspace.
func OAuthPath(workspaceID string) string {
	return web.Paths{Base: strings.Replace(workspaceBase, "{workspace_id}", workspaceID, 1)}.OAuth()
}

// showOAuth shows OAuth providers, and what the user has given agents access to. Tokens themselves are not read.
func (s *Service) showOAuth(c *rest.Call, frame web.Frame) (web.View, error) {
	providers, err := c.Tx.OAuthProviders(c.WorkspaceID)
	if err != nil {
		return nil, err
	}
	tokens, err := c.Tx.OAuthTokens(c.WorkspaceID, c.UserID, nil)
	if err != nil {
		return nil, err
	}
	connections, err := c.Tx.AgentConnectionsBy(c.WorkspaceID, c.UserID, rowsPerPage)
	if err != nil {
		return nil, err
	}
	view := web.OAuthView{
		Frame: frame, UserID: c.UserID, Tokens: len(tokens), ProvidersHCL: hclOfProviders(providers), ConnectionsHCL: hclOfConnections(connections),
	}
	for _, row := range providers {
		view.Providers = append(view.Providers, web.OAuthProvider{
			ProviderID: row.ProviderID, Name: row.Name, ProviderType: api.OrEmpty(row.ProviderType), MCPServerURL: api.OrEmpty(row.MCPServerURL),
			Host: hostOf(row.AuthURL),
			Connected: slices.ContainsFunc(tokens, func(t store.OAuthToken) bool {
				return t.ProviderID == row.ProviderID && (t.SealedRefresh != nil || t.ExpiresAt == nil || t.ExpiresAt.After(c.Now))
			}),
		})
	}
	slices.Reverse(tokens) // Newest first.
	for _, row := range tokens[:min(len(tokens), rowsPerPage)] {
		token := web.OAuthToken{
			ID: row.ID, ProviderID: row.ProviderID, Label: api.OrEmpty(row.Label), Scopes: row.Scopes, Default: row.IsDefault,
			Refreshed: row.SealedRefresh != nil, CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt,
		}
		if row.ExpiresAt != nil {
			token.ExpiresAt, token.Expired = *row.ExpiresAt, !row.ExpiresAt.After(c.Now)
		}
		view.NewestTokens = append(view.NewestTokens, token)
	}
	for _, row := range connections {
		view.Connections = append(view.Connections, web.AgentConnection{
			ID: row.ID, AgentID: row.AgentID, ProviderID: row.Token.ProviderID, TokenID: row.Token.ID, CreatedAt: row.CreatedAt,
		})
	}
	return view, nil
}

// connect starts a login and sends the browser there by an intermediate page: the pages' policy doesn't allow a form to
// redirect elsewhere.
func (s *Service) connect(w http.ResponseWriter, r *http.Request) {
	frame, workspaceID, err := s.frame(r)
	var address *url.URL
	if err == nil {
		address, err = s.loginOf(w, r, workspaceID) //nolint:contextcheck // The context is that of the request.
	}
	web.SetHeaders(w.Header())
	var page bytes.Buffer
	if err == nil {
		err = s.web.Write(&page, web.ConnectView{Frame: frame, Host: address.Host, URL: address.String()})
	}
	if err != nil {
		s.errorPage(w, r, frame, err)
		return
	}
	s.rest.Logger.InfoContext(r.Context(), "login started", "path", rest.RedactedPath(r.URL.Path), "workspace_id", workspaceID)
	w.Header().Set("Refresh", "0; url="+address.String())
	_, _ = page.WriteTo(w) // An error means that the client is gone.
}

// loginOf starts a login of the browser and returns the URL at which it continues.
func (s *Service) loginOf(w http.ResponseWriter, r *http.Request, workspaceID string) (*url.URL, error) {
	if err := s.readForm(w, r, "A login can't be started"); err != nil {
		return nil, err
	}
	address, mark, err := s.auth.Connect(s.rest.Outside(r, workspaceID, s.user(r)), r.PathValue("provider_id"), strings.Fields(r.PostForm.Get("scopes")))
	if err != nil {
		return nil, err
	}
	http.SetCookie(w, mark)
	return url.Parse(address)
}

// hostOf returns the host of a URL, or all of a text that isn't one.
func hostOf(address string) string {
	if parsed, err := url.Parse(address); err == nil && parsed.Host != "" {
		return parsed.Host
	}
	return address
}
