package devserver

import "time"

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
