package oauthtoken

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/poll"
	"github.com/agentplane/terraform-provider-agentplane/internal/rollout"
)

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
		return diag.Diagnostics{diag.NewErrorDiagnostic(fmt.Sprintf("Login at OAuth provider %q failed", id), l.reason(ctx, latest))}
	case isLate && late.Last != nil:
		return requestFailure("Unknown whether the user has logged in at OAuth provider %q", l.providerID).Diagnostics(late.Last)
	case errors.Is(err, context.DeadlineExceeded):
		return diag.Diagnostics{diag.NewErrorDiagnostic(fmt.Sprintf("Nobody has logged in at OAuth provider %q", id),
			fmt.Sprintf("The user has not logged in within %s. Run the action again for a new URL.", l.limit))}
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
