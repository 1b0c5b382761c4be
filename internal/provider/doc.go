// Package provider is the provider itself: its configuration and the list of everything it offers.
package provider
