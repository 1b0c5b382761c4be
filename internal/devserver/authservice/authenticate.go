package authservice

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/seal"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// refreshBefore is the remaining lifetime below which a token is refreshed.
const refreshBefore = 5 * time.Minute

// wanted describes the requested token and the stored token that was found.
type wanted struct {
	userID   string
	request  api.AuthAuthenticateRequest
	provider store.OAuthProvider
	// token is nil if there is none.
	token *store.OAuthToken
	// unconnected reports whether the user has a token, but the agent may not use it.
	unconnected bool
}

// authenticate returns a token, or the URL at which the user must log in.
func (s *Service) authenticate(c *rest.Call, request api.AuthAuthenticateRequest) (rest.Answer, error) {
	w := wanted{request: request}
	var err error
	if w.userID, err = s.subject(c, request); err != nil {
		return rest.Answer{}, err
	}
	if err := c.Do(c.Request.Context(), w.look); err != nil {
		return rest.Answer{}, err
	}
	if w.unconnected {
		return rest.OK(api.AuthAuthenticateResponse{Status: api.AuthConnectionRequired, UserID: &w.userID}), nil
	}
	if w.token != nil && s.mustRefresh(c, *w.token) {
		if *w.token, err = s.refreshed(c, w.token.ID); err != nil {
			return rest.Answer{}, err
		}
	}
	if w.token != nil && !w.widens() {
		if access, valid := s.access(*w.token, c.Now); valid {
			return w.completed(access)
		}
		if w.request.TokenID.Value != nil || w.request.AgentID.Value != nil {
			return rest.OK(api.AuthAuthenticateResponse{Status: api.AuthTokenExpired, UserID: &w.userID}), nil
		}
	}
	return s.pending(c, w)
}

// subject returns the user whose token is requested. A user's key gives access only to that user's tokens; a user without a
// key can be named by anyone.
func (s *Service) subject(c *rest.Call, request api.AuthAuthenticateRequest) (string, error) {
	id := request.UserID
	if id.Value == nil {
		id = request.LSUserID
	}
	user, named := id.Get()
	switch {
	case !named:
		return c.UserID, nil
	case user == "":
		return "", form.Problem(form.Body("user_id"), "string_too_short", "String should have at least 1 character")
	case user != c.UserID && s.cfg.IsUser(user):
		return "", form.Refuse(form.Forbidden, "This API key can't act for user '%s'.", user)
	}
	return user, nil
}

// look finds the requested token.
func (w *wanted) look(c *rest.Call) (err error) {
	if w.provider, err = providerOf(c, w.request.Provider); err != nil {
		return err
	}
	if forced, _ := w.request.ForceNew.Get(); forced {
		return nil
	}
	var token store.OAuthToken
	if id, named := w.request.TokenID.Get(); named {
		if token, err = tokenOf(c, w.userID, string(id)); err != nil {
			return err
		}
		if token.ProviderID != w.provider.ProviderID {
			return orMissingToken(store.ErrNotFound, string(id))
		}
		w.token = &token
		return nil
	}
	agentID, forAgent := w.request.AgentID.Get()
	if forAgent {
		token, err = c.Tx.ConnectedOAuthToken(c.WorkspaceID, w.userID, agentID, w.provider.ProviderID)
		if errors.Is(err, store.ErrNotFound) {
			token, err = c.Tx.AgentOAuthToken(c.WorkspaceID, agentID, w.provider.ProviderID)
		}
		if !errors.Is(err, store.ErrNotFound) {
			w.token = &token
			return err
		}
	}
	token, err = c.Tx.DefaultOAuthToken(c.WorkspaceID, w.userID, w.provider.ProviderID)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil
	case err == nil && forAgent:
		w.unconnected = true
	case err == nil:
		w.token = &token
	}
	return err
}

// widens reports whether the token lacks a requested scope.
func (w *wanted) widens() bool {
	return slices.ContainsFunc(w.request.Scopes, func(scope string) bool { return !slices.Contains(w.token.Scopes, scope) })
}

// access returns the token itself while it is valid.
func (s *Service) access(row store.OAuthToken, now time.Time) (string, bool) {
	if row.ExpiresAt != nil && !row.ExpiresAt.After(now) {
		return "", false
	}
	access, err := s.cfg.Key.Open(seal.AccessToken+row.ID, row.SealedAccess)
	return access, err == nil
}

// pending starts a flow and returns the URL at which the user must log in.
func (s *Service) pending(c *rest.Call, w wanted) (rest.Answer, error) {
	authID, address, err := s.start(c, w, rand.Text())
	if err != nil {
		return rest.Answer{}, err
	}
	return rest.OK(api.AuthAuthenticateResponse{Status: api.AuthPending, URL: &address, AuthID: &authID, UserID: &w.userID}), nil
}

// ofBrowser starts the states of logins that a browser has begun.
const ofBrowser = "browser-"

// Connect starts a login of the caller's browser. It returns the URL at which the login continues, and the cookie without which it
// doesn't end. It renews the caller's token, if there is one.
func (s *Service) Connect(c *rest.Call, providerID string, scopes []string) (address string, mark *http.Cookie, err error) {
	w := wanted{userID: c.UserID, request: api.AuthAuthenticateRequest{Provider: providerID, Scopes: scopes}}
	if err := c.Do(c.Request.Context(), w.look); err != nil {
		return "", nil, err
	}
	authID, address, err := s.start(c, w, ofBrowser+rand.Text())
	return address, &http.Cookie{ //nolint:gosec // Secure wherever the server has HTTPS.
		Name: cookieOf(authID), Value: s.markOf(authID), Path: "/", MaxAge: int(limits.LoginTime.Seconds()),
		Secure: strings.HasPrefix(rest.BaseURL(c.Request), "https:"), HttpOnly: true, SameSite: http.SameSiteLaxMode,
	}, err
}

// cookieOf names the cookie of a browser that has begun a login. Each login has its own, so that several can be open.
func cookieOf(authID string) string { return "agentplane-login-" + authID }

// markOf is the value of that cookie, which any server with the key knows.
func (s *Service) markOf(authID string) string { return s.cfg.Key.Text("browser of login " + authID) }

// begunHere reports whether a login that a browser has begun returns from that browser. Those that API clients begin, which
// have no browser, may end in any.
func (s *Service) begunHere(r *http.Request, authID, state string) bool {
	if !strings.HasPrefix(state, ofBrowser) {
		return true
	}
	mark, err := r.Cookie(cookieOf(authID))
	return err == nil && subtle.ConstantTimeCompare([]byte(mark.Value), []byte(s.markOf(authID))) == 1
}

// start starts a flow. It also requests the scopes that the token has, so that renewing it loses none.
func (s *Service) start(c *rest.Call, w wanted, state string) (authID, address string, err error) {
	flow := store.OAuthFlow{
		UserID: w.userID, AgentID: w.request.AgentID.Value, Scopes: slices.Clone(w.request.Scopes), IsDefault: true,
	}
	api.Set(&flow.IsDefault, w.request.IsDefault)
	if w.token != nil {
		flow.TokenID, flow.IsDefault = &w.token.ID, w.token.IsDefault || flow.IsDefault
		flow.Scopes = append(flow.Scopes, w.token.Scopes...)
	}
	slices.Sort(flow.Scopes)
	flow.Scopes = slices.Compact(flow.Scopes)
	err = c.Do(c.Request.Context(), func(in *rest.Call) (err error) {
		authID, address, err = s.begin(in, w.provider, flow, state)
		return err
	})
	return authID, address, err
}

// completed repeats the summary's fields for the token, so that clients needn't look there.
func (w *wanted) completed(access string) (rest.Answer, error) {
	metadata := map[string]json.RawMessage{}
	if w.token.Metadata != nil {
		if err := json.Unmarshal([]byte(*w.token.Metadata), &metadata); err != nil {
			return rest.Answer{}, err
		}
	}
	summary := newTokenSummary(*w.token)
	for name, value := range map[string]any{"token_id": summary.ID, "expires_at": summary.ExpiresAt, "scopes": summary.Scopes} {
		text, err := json.Marshal(value)
		if err != nil {
			return rest.Answer{}, err
		}
		metadata[name] = text
	}
	return rest.OK(api.AuthAuthenticateResponse{
		Status: api.AuthCompleted, Token: &access, UserID: &w.userID, Metadata: metadata,
	}), nil
}
