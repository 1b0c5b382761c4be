package oauthtoken

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timetypes/timetypes"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/poll"
	"github.com/agentplane/terraform-provider-agentplane/internal/rollout"
)

// defaultTimeout is the service's time limit for a login.
const defaultTimeout = 10 * time.Minute

// notEmpty refuses the empty text, which identifies nothing.
var notEmpty = stringvalidator.LengthAtLeast(1)

// NewAuthenticateAction is the action agentplane_authenticate.
func NewAuthenticateAction() action.Action {
	return framework.NewAction(framework.ActionSpec[authenticateModel]{
		Name: "authenticate", Invoke: authenticate,
		Description: "Logs a user in at an OAuth provider: shows the URL of the login and waits for the user, unless the user is " +
			"logged in with all `scopes`. Whoever opens the URL first connects their own account: show Terraform's output only " +
			"to the user.",
		Attributes: func() map[string]schema.Attribute {
			return map[string]schema.Attribute{
				"provider_id": framework.RequiredString("The `provider_id` of the OAuth provider.", notEmpty),
				"scopes":      framework.OptionalTextList("Scopes to request.", listvalidator.ValueStringsAre(notEmpty)),
				"user_id":     framework.OptionalString("User who logs in. Default: the user of the provider's API key.", notEmpty),
				"agent_id":    framework.OptionalString("Agent to connect to the token after the login.", notEmpty),
				"force_new":   framework.OptionalBool("Whether to log in again, for example with another account. Default: `false`."),
				"is_default":  framework.OptionalBool("Whether the token becomes the user's default. Default: `true`."),
				"timeout": framework.OptionalDuration("How long to wait for the user, such as `5m`. Default: `10m`, after which the service " +
					"discards the login."),
			}
		},
	})
}

// wantedModel is a token for which a user is authenticated.
type wantedModel struct {
	WorkspaceID types.String `tfsdk:"workspace_id"`
	ProviderID  types.String `tfsdk:"provider_id"`
	Scopes      types.List   `tfsdk:"scopes"`
	UserID      types.String `tfsdk:"user_id"`
	AgentID     types.String `tfsdk:"agent_id"`
}

type authenticateModel struct {
	wantedModel

	ForceNew  types.Bool           `tfsdk:"force_new"`
	IsDefault types.Bool           `tfsdk:"is_default"`
	Timeout   timetypes.GoDuration `tfsdk:"timeout"`
}

func authenticate(
	ctx context.Context, provider *framework.ProviderData, config authenticateModel, tell func(message string),
) diag.Diagnostics {
	return (&login{
		Client: provider.In(config.WorkspaceID), clock: provider.Clock, providerID: config.ProviderID, agentID: config.AgentID,
		limit: framework.DurationOr(config.Timeout, defaultTimeout), tell: tell,
	}).run(ctx, config.toRequest(config))
}

// toRequest returns the request for the token, with what else a configuration says of it.
func (m wantedModel) toRequest(config any) api.AuthAuthenticateRequest {
	request := framework.Expand[api.AuthAuthenticateRequest](config)
	request.Provider, request.Scopes = m.ProviderID.ValueString(), append([]string{}, framework.Texts[string](m.Scopes)...) // A list, also without any.
	return request
}

// login waits for a user.
type login struct {
	*client.Client
	clock               framework.Clock
	providerID, agentID types.String
	limit               time.Duration
	tell                func(message string)
}

// errEnded is the error for a login that the service no longer has.
var errEnded = errors.New("the service no longer has this login")

// run begins a login, unless there is a token, and waits for its end.
func (l *login) run(ctx context.Context, request api.AuthAuthenticateRequest) diag.Diagnostics {
	id := l.providerID.ValueString()
	latest := l.latestEvent(ctx)
	answer, err := l.Authenticate(ctx, request)
	switch {
	case err != nil:
		return requestFailure("Cannot log in at OAuth provider %q", l.providerID).Diagnostics(err)
	case answer.Status == api.AuthCompleted:
		l.tell(fmt.Sprintf("OAuth provider %q: the user is already logged in", id))
		return nil
	case answer.Status != api.AuthPending:
		return notLoggedIn(l.providerID, l.agentID, *answer)
	}
	l.tell(fmt.Sprintf("OAuth provider %q: log in at %s", id, *answer.URL))
	err = l.wait(ctx, *answer.AuthID)
	late, isLate := errors.AsType[*poll.DeadlineError](err)
	switch {
	case err == nil:
		l.tell(fmt.Sprintf("OAuth provider %q: the user has logged in", id))
		return nil
	case errors.Is(err, errEnded):
		return framework.NewError(fmt.Sprintf("Login at OAuth provider %q failed", id), "%s", l.reason(ctx, latest))
	case isLate && late.Last != nil:
		return requestFailure("Unknown whether the user has logged in at OAuth provider %q", l.providerID).Diagnostics(late.Last)
	case errors.Is(err, context.DeadlineExceeded):
		return framework.NewError(fmt.Sprintf("Nobody has logged in at OAuth provider %q", id), "The user has not logged in within %s. Run the "+
			"action again for a new URL.", l.limit)
	default:
		return requestFailure("Cannot wait for the login at OAuth provider %q", l.providerID).Diagnostics(err)
	}
}

// wait polls until the login has ended. The service holds each request for a while; otherwise the interval is at least a
// second.
func (l *login) wait(ctx context.Context, authID string) error {
	_, err := rollout.Follow(ctx, poll.Policy{Clock: l.clock, Max: time.Second}, l.limit, nil,
		func(ctx context.Context) (*api.AuthWaitResponse, bool, error) {
			answer, err := l.WaitForAuth(ctx, authID)
			if err != nil {
				return nil, false, err
			}
			if answer.Status == api.AuthWaitNotFound {
				return nil, true, errEnded
			}
			return answer, answer.Status == api.AuthWaitCompleted, nil
		})
	return err
}

// latestEvent is the ID of the newest event before a login. Without it, no reason is reported later.
func (l *login) latestEvent(ctx context.Context) string {
	events, err := l.ListTokenEvents(ctx, l.providerID.ValueString(), 1)
	if err != nil || len(events) == 0 {
		return ""
	}
	return events[0].ID
}

// reason is what the service recorded about the login, if it is the user's own.
func (l *login) reason(ctx context.Context, before string) string {
	const retry = "Run the action again for a new URL."
	events, err := l.ListTokenEvents(ctx, l.providerID.ValueString(), 1)
	if err == nil && len(events) == 1 && events[0].ID != before && events[0].EventType == api.TokenFailed && events[0].Reason != nil {
		return fmt.Sprintf("The service says: %s %s", framework.Sentence(*events[0].Reason), retry)
	}
	return "The login was denied, failed, or took more than ten minutes. " + retry
}

// NewRevokeAction is the action agentplane_revoke_oauth_tokens.
func NewRevokeAction() action.Action {
	return framework.NewAction(framework.ActionSpec[revokeModel]{
		Name: "revoke_oauth_tokens", Invoke: revoke,
		Description: "Deletes all tokens of an OAuth provider that belong to the user of the provider's API key, with the " +
			"connections of agents to them. The user has to log in again. The OAuth provider may accept the tokens until they " +
			"expire.",
		Attributes: func() map[string]schema.Attribute {
			return map[string]schema.Attribute{
				"provider_id": framework.RequiredString("The `provider_id` of the OAuth provider.", notEmpty),
			}
		},
	})
}

type revokeModel struct {
	WorkspaceID types.String `tfsdk:"workspace_id"`
	ProviderID  types.String `tfsdk:"provider_id"`
}

func revoke(ctx context.Context, provider *framework.ProviderData, config revokeModel, tell func(message string)) diag.Diagnostics {
	c, id := provider.In(config.WorkspaceID), config.ProviderID.ValueString()
	tokens, err := c.ListOAuthTokens(ctx, id)
	if err == nil && len(tokens) == 0 { // The service accepts the deletion for any ID.
		_, err = c.OAuthProviders().Get(ctx, id)
	}
	if err == nil {
		err = c.DeleteOAuthTokens(ctx, id)
	}
	if err != nil {
		return requestFailure("Cannot revoke the tokens of OAuth provider %q", config.ProviderID).Diagnostics(err)
	}
	tell(fmt.Sprintf("OAuth provider %q: %s revoked", id, framework.Plural(len(tokens), "token")))
	return nil
}
