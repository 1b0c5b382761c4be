package authservice

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"golang.org/x/oauth2"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/seal"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// grant is the response of a token endpoint.
type grant struct {
	access, refresh string
	scopes          []string
	// lifetime is zero for a token that doesn't expire.
	lifetime time.Duration
}

// oauthConfig converts a provider for golang.org/x/oauth2.
func (s *Service) oauthConfig(p store.OAuthProvider) (*oauth2.Config, error) {
	config := &oauth2.Config{
		ClientID: p.ClientID,
		Endpoint: oauth2.Endpoint{AuthURL: p.AuthURL, TokenURL: p.TokenURL, AuthStyle: oauth2.AuthStyleInParams},
	}
	if p.TokenEndpointAuthMethod == string(api.TokenEndpointAuthNone) || p.SealedClientSecret == nil {
		return config, nil
	}
	if p.TokenEndpointAuthMethod == string(api.TokenEndpointAuthClientSecretBasic) {
		config.Endpoint.AuthStyle = oauth2.AuthStyleInHeader
	}
	secret, err := s.cfg.Key.Open(seal.ClientSecret+p.ID, p.SealedClientSecret)
	config.ClientSecret = secret
	return config, err
}

// exchange exchanges a code for a grant.
func (s *Service) exchange(ctx context.Context, p store.OAuthProvider, flow store.OAuthFlow, code string) (grant, error) {
	config, err := s.oauthConfig(p)
	if err != nil {
		return grant{}, err
	}
	config.RedirectURL = flow.RedirectURI
	var options []oauth2.AuthCodeOption
	if flow.SealedVerifier != nil {
		verifier, err := s.cfg.Key.Open(seal.Verifier+flow.ID, flow.SealedVerifier)
		if err != nil {
			return grant{}, err
		}
		options = append(options, oauth2.VerifierOption(verifier))
	}
	if p.MCPServerURL != nil {
		options = append(options, oauth2.SetAuthURLParam("resource", *p.MCPServerURL))
	}
	token, err := config.Exchange(context.WithValue(ctx, oauth2.HTTPClient, &s.outbound.Client), code, options...)
	if err != nil {
		return grant{}, err
	}
	return newGrant(token, flow.Scopes), nil
}

// refresh exchanges a refresh token for a grant.
func (s *Service) refresh(ctx context.Context, p store.OAuthProvider, token store.OAuthToken) (grant, error) {
	config, err := s.oauthConfig(p)
	if err != nil {
		return grant{}, err
	}
	secret, err := s.cfg.Key.Open(seal.RefreshToken+token.ID, token.SealedRefresh)
	if err != nil {
		return grant{}, err
	}
	source := config.TokenSource(context.WithValue(ctx, oauth2.HTTPClient, &s.outbound.Client), &oauth2.Token{RefreshToken: secret})
	refreshed, err := source.Token()
	if err != nil {
		return grant{}, err
	}
	return newGrant(refreshed, token.Scopes), nil
}

// newGrant reads a token. A response without scopes grants the requested ones.
func newGrant(token *oauth2.Token, asked []string) grant {
	g := grant{access: token.AccessToken, refresh: token.RefreshToken, scopes: asked}
	if text, said := token.Extra("scope").(string); said && text != "" {
		// Some servers separate scopes with commas, contrary to RFC 6749.
		g.scopes = strings.FieldsFunc(text, func(r rune) bool { return r == ',' || unicode.IsSpace(r) })
	}
	slices.Sort(g.scopes)
	g.scopes = slices.Compact(g.scopes)
	if !token.Expiry.IsZero() {
		g.lifetime = max(time.Until(token.Expiry).Round(time.Second), time.Second)
	}
	return g
}

// storeGrant seals a grant into a row. If there is no new refresh token, the old one is kept.
func (s *Service) storeGrant(row *store.OAuthToken, g grant, now time.Time) {
	row.SealedAccess = s.cfg.Key.Seal(seal.AccessToken+row.ID, g.access)
	if g.refresh != "" {
		row.SealedRefresh = s.cfg.Key.Seal(seal.RefreshToken+row.ID, g.refresh)
	}
	row.Scopes, row.ExpiresAt, row.UpdatedAt = g.scopes, nil, now
	if g.lifetime > 0 {
		end := now.Add(g.lifetime)
		row.ExpiresAt = &end
	}
}

// rejected reports whether a token endpoint has permanently refused the request.
func rejected(err error) bool {
	refused, is := errors.AsType[*oauth2.RetrieveError](err)
	return is && refused.ErrorCode != ""
}

// reasonOf returns why a token endpoint issued no token. It never includes the response itself, which may contain a token.
func reasonOf(err error) string {
	if refused, is := errors.AsType[*oauth2.RetrieveError](err); is {
		switch {
		case refused.ErrorCode != "" && refused.ErrorDescription != "":
			return fmt.Sprintf("%s: %s", printable(refused.ErrorCode), printable(refused.ErrorDescription))
		case refused.ErrorCode != "":
			return printable(refused.ErrorCode)
		case refused.Response != nil:
			return fmt.Sprintf("the token endpoint returned status %d", refused.Response.StatusCode)
		}
	}
	if failed, is := errors.AsType[*url.Error](err); is {
		return "the token endpoint can't be reached: " + printable(failed.Err.Error())
	}
	return "the token endpoint returned no valid token"
}

// printable converts foreign text to one short line.
func printable(text string) string {
	return form.Shortened(strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, strings.ToValidUTF8(text, "�")), 200)
}
