package authservice

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"errors"
	"html/template"
	"net/http"
	"strconv"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

//go:embed templates/callback.html
var templates embed.FS

var callbackPage = template.Must(template.ParseFS(templates, "templates/callback.html"))

// returned contains the query parameters of a redirect from an authorization server.
type returned struct{ code, state, failure, description string }

// callback ends the flow that a browser returns from, and tells the user.
func (s *Service) callback(c *rest.Call) (rest.Answer, error) {
	query := c.Request.URL.Query()
	flow, message, err := s.end(c, returned{
		code: query.Get("code"), state: query.Get("state"), failure: query.Get("error"), description: query.Get("error_description"),
	}, func(flow store.OAuthFlow) bool { return s.begunHere(c.Request, flow.ID, query.Get("state")) })
	back := ""
	if flow.WorkspaceID != "" && s.cfg.Page != nil {
		back = s.cfg.Page(flow.WorkspaceID)
	}
	return page(message, back, err)
}

// setup is where a browser returns after installing an app. In some cases that ends a flow.
func (s *Service) setup(c *rest.Call) (rest.Answer, error) {
	query := c.Request.URL.Query()
	if query.Has("state") || query.Has("error") {
		return s.callback(c)
	}
	if installation := query.Get("installation_id"); installation != "" {
		if _, err := strconv.ParseInt(installation, 10, 64); err != nil {
			return page("", "", form.Broken("The 'installation_id' is not a number."))
		}
	}
	return page("The app is installed. You can close this window.", "", nil)
}

// finalize ends a flow on behalf of the front end to which the browser has returned. The request needs the key of the
// flow's user.
func (s *Service) finalize(c *rest.Call) (rest.Answer, error) {
	if c.WorkspaceID == "" {
		return rest.Answer{}, rest.Unauthorized()
	}
	request, err := rest.DecodeBody[api.OAuthFinalizeRequest](c)
	if err != nil {
		return rest.Answer{}, err
	}
	_, message, err := s.end(c, returned{code: request.Code, state: request.State}, func(flow store.OAuthFlow) bool {
		return flow.WorkspaceID == c.WorkspaceID && s.mayActFor(c, flow.UserID)
	})
	return rest.OK(api.MessageResponse{Message: message}), err
}

// end ends a flow and returns it if it is known. Its errors are shown to users; they don't distinguish an unknown flow from
// one that has ended.
func (s *Service) end(c *rest.Call, r returned, mine func(store.OAuthFlow) bool) (ended store.OAuthFlow, message string, err error) {
	providerID := c.Request.PathValue("provider_id")
	var flow store.OAuthFlow
	var provider store.OAuthProvider
	err = c.Do(c.Request.Context(), func(in *rest.Call) error {
		digest := sha256.Sum256([]byte(r.state))
		flow, err = in.Tx.OAuthFlowOf(digest[:])
		if errors.Is(err, store.ErrNotFound) || err == nil && (flow.ProviderID != providerID || flow.Status != store.OAuthFlowPending ||
			!flow.ExpiresAt.After(in.Now) || !mine(flow)) {
			return form.Broken("This login is unknown: it took more than %d minutes, has already ended, or belongs to another user or browser. "+
				"Log in again.", int(limits.LoginTime.Minutes()))
		}
		if err != nil {
			return err
		}
		in.WorkspaceID = flow.WorkspaceID
		if provider, err = providerOf(in, providerID); err != nil {
			return err
		}
		flow.Status = store.OAuthFlowExchanging // This state can't be used again.
		return in.Tx.UpdateOAuthFlow(flow)
	})
	if err != nil {
		return ended, "", err
	}
	ctx := context.WithoutCancel(c.Request.Context()) // The code can be used only once, so the outcome must be stored even if the client leaves.
	if r.failure != "" || r.code == "" {
		return flow, "", s.fail(ctx, c, flow, refusalOf(r))
	}
	granted, failed := s.exchange(ctx, provider, flow, r.code)
	if failed != nil {
		return flow, "", s.fail(ctx, c, flow, reasonOf(failed))
	}
	err = c.Do(ctx, func(in *rest.Call) error { return s.complete(in, flow, granted) })
	if errors.Is(err, errMoved) {
		err = s.fail(ctx, c, flow, err.Error())
	}
	if err != nil {
		return flow, "", err
	}
	return flow, provider.Name + " is connected. You can close this window.", nil
}

func refusalOf(r returned) string {
	switch {
	case r.failure == "":
		return "the authorization server sent no code"
	case r.description == "":
		return printable(r.failure)
	default:
		return printable(r.failure) + ": " + printable(r.description)
	}
}

// fail ends a flow without a token.
func (s *Service) fail(ctx context.Context, c *rest.Call, flow store.OAuthFlow, reason string) error {
	err := c.Do(ctx, func(in *rest.Call) error {
		flow.Status = store.OAuthFlowFailed
		if err := in.Tx.UpdateOAuthFlow(flow); err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		return recordEvent(in, store.OAuthTokenEvent{
			WorkspaceID: flow.WorkspaceID, UserID: flow.UserID, ProviderID: flow.ProviderID, AgentID: flow.AgentID,
			Type: string(api.TokenFailed), Reason: &reason, Source: "callback", Scopes: flow.Scopes,
		})
	})
	if err != nil {
		return err
	}
	return form.Broken("The login failed: %s.", reason)
}

// errMoved is why a grant isn't stored: its refresh token would be sent to another server than the one that issued it.
var errMoved = errors.New("the OAuth provider was changed meanwhile")

// complete stores the result of a flow: a new token, or a renewed one.
func (s *Service) complete(c *rest.Call, flow store.OAuthFlow, granted grant) error {
	current, err := c.Tx.OAuthFlow(flow.WorkspaceID, flow.ID)
	if err != nil {
		return err
	}
	if current.Status != store.OAuthFlowExchanging {
		return errMoved
	}
	token, known, err := renewed(c, flow)
	if err != nil {
		return err
	}
	token.IsDefault = flow.IsDefault && token.AgentID == nil
	s.storeGrant(&token, granted, c.Now)
	if err := write(c, token, known, "callback"); err != nil {
		return err
	}
	if flow.AgentID != nil && token.AgentID == nil {
		if _, err := ensureConnection(c, flow.WorkspaceID, *flow.AgentID, flow.UserID, token); err != nil {
			return err
		}
	}
	flow.Status, flow.TokenID = store.OAuthFlowCompleted, &token.ID
	return c.Tx.UpdateOAuthFlow(flow)
}

// renewed returns the token that a flow renews, or a new one if it was deleted meanwhile.
func renewed(c *rest.Call, flow store.OAuthFlow) (token store.OAuthToken, known bool, err error) {
	if flow.TokenID != nil {
		token, err = c.Tx.OAuthToken(flow.WorkspaceID, *flow.TokenID)
		if !errors.Is(err, store.ErrNotFound) {
			return token, true, err
		}
	}
	return store.OAuthToken{
		ID: uuid.NewString(), WorkspaceID: flow.WorkspaceID, UserID: flow.UserID, ProviderID: flow.ProviderID, CreatedAt: c.Now,
	}, false, nil
}

// page tells the user in a browser how a flow has ended. back is the path of the page that shows the change, if known.
func page(message, back string, err error) (rest.Answer, error) {
	refused, is := rest.Refused(err, api.Neutral)
	if err != nil && !is {
		return rest.Answer{}, err
	}
	shown := struct{ Title, Message, Back string }{"Connected", message, back}
	status := http.StatusOK
	if is {
		detail, _ := refused.Body.(api.ErrorDetail)
		shown.Title, shown.Message, status = "Not connected", detail.Detail, refused.Status
	}
	var text bytes.Buffer
	if err := callbackPage.Execute(&text, shown); err != nil {
		return rest.Answer{}, err
	}
	return rest.Answer{Status: status, Body: rest.HTML(text.String()), Header: http.Header{
		// The URL contains the code. It should not leak, even if it was used up.
		"Referrer-Policy":         {"no-referrer"},
		"Cache-Control":           {"no-store"},
		"Content-Security-Policy": {"default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"},
		"X-Content-Type-Options":  {"nosniff"},
	}}, nil
}
