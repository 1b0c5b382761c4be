// Package authservice is the Auth service: OAuth providers, the flows in which users log in, tokens, and agents that use them.
package authservice
