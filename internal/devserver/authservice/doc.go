// Package authservice is the Auth service: OAuth providers.
package authservice
