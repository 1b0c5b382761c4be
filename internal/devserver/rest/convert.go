package rest

import (
	"maps"
	"slices"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// DateTime writes times as the service does: in UTC, with microseconds.
func DateTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000Z") }

// Collect converts a list; the result is never nil, so that it is answered as [].
func Collect[From, To any](from []From, convert func(From) To) []To {
	to := make([]To, len(from))
	for i, v := range from {
		to[i] = convert(v)
	}
	return to
}

// NonEmpty is nil for what is empty.
func NonEmpty(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// OrEmpty is empty for nil.
func OrEmpty(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// Texts are the words of an enumeration.
func Texts[S ~string](values []S) []string {
	return Collect(values, func(v S) string { return string(v) })
}

// SortedKeys are the keys of a map.
func SortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// Keep replaces a nullable field when the request carries a value.
func Keep[T any](to **T, from api.Optional[T]) {
	if v, sent := from.Get(); sent {
		*to = &v
	}
}

// Set is keep for a field that is never null.
func Set[T any](to *T, from api.Optional[T]) {
	if v, sent := from.Get(); sent {
		*to = v
	}
}
