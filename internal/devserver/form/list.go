package form

// Collect converts a list; the result is never nil, so that it is encoded as [].
func Collect[From, To any](from []From, convert func(From) To) []To {
	to := make([]To, len(from))
	for i, v := range from {
		to[i] = convert(v)
	}
	return to
}

// Texts returns the values of an enumeration as strings.
func Texts[S ~string](values []S) []string {
	return Collect(values, func(v S) string { return string(v) })
}
