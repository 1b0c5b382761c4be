package devserver

import (
	"maps"
	"slices"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// dateTime writes times as the service does: in UTC, with microseconds.
func dateTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000Z") }

// collect converts a list; the result is never nil, so that it is answered as [].
func collect[From, To any](from []From, convert func(From) To) []To {
	to := make([]To, len(from))
	for i, v := range from {
		to[i] = convert(v)
	}
	return to
}

// nonEmpty is nil for what is empty.
func nonEmpty(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// orEmpty is empty for nil.
func orEmpty(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

func texts[S ~string](values []S) []string {
	return collect(values, func(v S) string { return string(v) })
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// keep replaces a nullable field when the request carries a value.
func keep[T any](to **T, from api.Optional[T]) {
	if v, sent := from.Get(); sent {
		*to = &v
	}
}

// set is keep for a field that is never null.
func set[T any](to *T, from api.Optional[T]) {
	if v, sent := from.Get(); sent {
		*to = v
	}
}
