package authservice

import (
	"context"
	"errors"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// wait answers when a flow has ended or the maximum waiting time is over. It stops when the client disconnects.
func (s *Service) wait(c *rest.Call) (rest.Answer, error) {
	params := c.Params()
	seconds := params.Integer("timeout", 30, 0, 0)
	if err := params.Err(); err != nil {
		return rest.Answer{}, err
	}
	authID := c.Request.PathValue("auth_id")
	ctx, cancel := context.WithTimeout(c.Request.Context(), min(time.Duration(min(seconds, 3600))*time.Second, limits.AuthWait))
	defer cancel()
	defer context.AfterFunc(s.running, cancel)()
	answer, err := s.flowState(c, authID)
	if err != nil || answer.Status != api.AuthWaitPending || seconds == 0 {
		return rest.OK(answer), err
	}
	defer s.waiting.Add(-1)
	if s.waiting.Add(1) > limits.AuthWaitsQueued {
		<-ctx.Done()
	} else if giveBack, late := s.waits.Take(ctx, c.WorkspaceID); late == nil {
		defer giveBack()
	}
	again := time.NewTicker(waitAgain)
	defer again.Stop()
	for ctx.Err() == nil {
		select {
		case <-again.C:
			if answer, err = s.flowState(c, authID); err != nil || answer.Status != api.AuthWaitPending {
				return rest.OK(answer), err
			}
		case <-ctx.Done():
		}
	}
	if err := c.Request.Context().Err(); err != nil {
		return rest.Answer{}, err
	}
	answer, err = s.flowState(c, authID) // The user may have logged in since the last tick.
	if answer.Status == api.AuthWaitPending {
		answer.Status = api.AuthWaitTimeout
	}
	return rest.OK(answer), err
}

// waitAgain is how often a flow is read: it may end at another server with the same data.
const waitAgain = 500 * time.Millisecond

// flowState returns the state of a flow. Flows of other users, expired flows and failed flows are not found.
func (s *Service) flowState(c *rest.Call, authID string) (answer api.AuthWaitResponse, err error) {
	err = c.Read(c.Request.Context(), func(in *rest.Call) error {
		answer = api.AuthWaitResponse{Status: api.AuthWaitNotFound}
		flow, err := in.Tx.OAuthFlow(in.WorkspaceID, authID)
		switch {
		case errors.Is(err, store.ErrNotFound):
			return nil
		case err != nil:
			return err
		case !s.mayActFor(in, flow.UserID), !flow.ExpiresAt.After(in.Now), flow.Status == store.OAuthFlowFailed:
			return nil
		case flow.Status != store.OAuthFlowCompleted:
			answer.Status = api.AuthWaitPending
			return nil
		}
		token, err := in.Tx.OAuthToken(in.WorkspaceID, api.OrEmpty(flow.TokenID))
		if errors.Is(err, store.ErrNotFound) {
			return nil // It was deleted meanwhile.
		}
		if access, valid := s.access(token, in.Now); err == nil && valid {
			answer = api.AuthWaitResponse{Status: api.AuthWaitCompleted, Token: &access}
		}
		return err
	})
	return answer, err
}

// mayActFor reports whether the caller is the given user, or that user has no key.
func (s *Service) mayActFor(c *rest.Call, userID string) bool {
	return userID == c.UserID || !s.cfg.IsUser(userID)
}
