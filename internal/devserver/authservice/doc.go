// Package authservice is the Auth service: OAuth providers, login flows, tokens, and agents that use the tokens.
package authservice
