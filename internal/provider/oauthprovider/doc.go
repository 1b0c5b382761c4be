// Package oauthprovider offers the OAuth providers of an organization, to which agents send their users for
// authorization, as a resource.
package oauthprovider
