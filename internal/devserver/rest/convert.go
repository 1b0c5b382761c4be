package rest

import (
	"maps"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// Collect converts a list; the result is never nil, so that it is encoded as [].
func Collect[From, To any](from []From, convert func(From) To) []To {
	to := make([]To, len(from))
	for i, v := range from {
		to[i] = convert(v)
	}
	return to
}

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

// Texts returns the values of an enumeration as strings.
func Texts[S ~string](values []S) []string {
	return Collect(values, func(v S) string { return string(v) })
}

// SortedKeys returns the keys of a map in order.
func SortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

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
