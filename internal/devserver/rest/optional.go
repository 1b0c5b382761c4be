package rest

import (
	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// NonEmpty returns nil for an empty value.
func NonEmpty(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// OrEmpty returns an empty value for nil.
func OrEmpty(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// Keep replaces a nullable field if the request has a value for it.
func Keep[T any](to **T, from api.Optional[T]) {
	if v, sent := from.Get(); sent {
		*to = &v
	}
}

// Set is Keep for a field that is never null.
func Set[T any](to *T, from api.Optional[T]) {
	if v, sent := from.Get(); sent {
		*to = v
	}
}
