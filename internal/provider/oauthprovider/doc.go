// Package oauthprovider provides the OAuth providers of an organization, with which users authorize agents, as a resource.
package oauthprovider
