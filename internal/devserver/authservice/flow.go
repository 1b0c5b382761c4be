package authservice

import (
	"crypto/sha256"
	"maps"
	"net/url"
	"slices"

	"github.com/google/uuid"
	"golang.org/x/oauth2"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/seal"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// protocolParams are the authorization request parameters that the flow sets; a provider can't override them.
var protocolParams = []string{"response_type", "client_id", "redirect_uri", "scope", "state", "code_challenge", "code_challenge_method"}

// begin stores a flow with a state, and returns the URL at which the user continues.
func (s *Service) begin(c *rest.Call, p store.OAuthProvider, flow store.OAuthFlow, state string) (authID, address string, err error) {
	config, err := s.oauthConfig(p)
	if err != nil {
		return "", "", err
	}
	if err := checkAuthURL(p); err != nil {
		return "", "", err
	}
	digest := sha256.Sum256([]byte(state))
	flow.ID, flow.StateDigest, flow.Status = uuid.NewString(), digest[:], store.OAuthFlowPending
	flow.WorkspaceID, flow.ProviderID = c.WorkspaceID, p.ProviderID
	flow.CreatedAt, flow.ExpiresAt = c.Now, c.Now.Add(limits.LoginTime)
	if flow.RedirectURI, err = redirectURI(c, p); err != nil {
		return "", "", err
	}
	config.RedirectURL, config.Scopes = flow.RedirectURI, flow.Scopes
	params, err := authorizationParams(p)
	if err != nil {
		return "", "", err
	}
	var options []oauth2.AuthCodeOption
	for _, name := range slices.Sorted(maps.Keys(params)) {
		if !slices.Contains(protocolParams, name) {
			options = append(options, oauth2.SetAuthURLParam(name, params[name]))
		}
	}
	if p.MCPServerURL != nil { // RFC 8707: the token is for this server only.
		options = append(options, oauth2.SetAuthURLParam("resource", *p.MCPServerURL))
	}
	if p.UsesPKCE {
		verifier := oauth2.GenerateVerifier()
		flow.SealedVerifier = s.cfg.Key.Seal(seal.Verifier+flow.ID, verifier)
		challenge, err := challengeOptions(p, verifier)
		if err != nil {
			return "", "", err
		}
		options = append(options, challenge...)
	}
	return flow.ID, config.AuthCodeURL(state, options...), c.Tx.InsertOAuthFlow(flow, limits.OAuthFlows)
}

func checkAuthURL(p store.OAuthProvider) error {
	parsed, err := url.Parse(p.AuthURL)
	if err != nil || parsed.Host == "" || parsed.Scheme != "https" && parsed.Scheme != "http" {
		return form.Broken("The 'auth_url' of OAuth provider '%s' is not a valid URL: %s", p.ProviderID, p.AuthURL)
	}
	return nil
}

func challengeOptions(p store.OAuthProvider, verifier string) ([]oauth2.AuthCodeOption, error) {
	switch p.CodeChallengeMethod {
	case "S256":
		return []oauth2.AuthCodeOption{oauth2.S256ChallengeOption(verifier)}, nil
	case "plain":
		return []oauth2.AuthCodeOption{
			oauth2.SetAuthURLParam("code_challenge_method", "plain"), oauth2.SetAuthURLParam("code_challenge", verifier),
		}, nil
	default:
		return nil, form.Broken("The 'code_challenge_method' of OAuth provider '%s' is '%s'. Use S256 or plain.", p.ProviderID, p.CodeChallengeMethod)
	}
}

// redirectURI is where a flow returns to: this server, unless a provider allows only other URLs. The server at such a URL
// passes on code and state.
func redirectURI(c *rest.Call, p store.OAuthProvider) (string, error) {
	allowed, err := allowedRedirectURIs(p)
	if err != nil {
		return "", err
	}
	own := defaultRedirectURI(c, p.ProviderID)
	if len(allowed) == 0 || slices.Contains(allowed, own) {
		return own, nil
	}
	return allowed[0], nil
}

// defaultRedirectURI is the URL of this server that a flow returns to.
func defaultRedirectURI(c *rest.Call, providerID string) string {
	return rest.BaseURL(c.Request) + "/v2/auth/callback/" + url.PathEscape(providerID)
}
