// Package oauthtoken offers the tokens that users have at OAuth providers: what is known of them as data sources, the token itself
// as an ephemeral resource, and logging in and revoking as actions.
package oauthtoken
