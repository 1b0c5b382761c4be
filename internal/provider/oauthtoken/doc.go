// Package oauthtoken provides the tokens of users at OAuth providers: data sources that describe them, an ephemeral
// resource with the token itself, and actions that log in and revoke.
package oauthtoken
