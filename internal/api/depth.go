package api

// MaxDepth is the maximum nesting of the control plane's JSON. Its messages need a dozen levels; deeper ones are made to exhaust
// the reader's stack.
const MaxDepth = 1000

// MaxBody is the maximum size in bytes of a request to the control plane.
const MaxBody = 10 << 20

// TooDeep reports whether JSON is nested deeper than MaxDepth. It isn't recursive and only counts brackets, so the body need not be
// valid.
func TooDeep(body []byte) bool {
	depth, quoted := 0, false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case c == '"':
			quoted = !quoted
		case quoted:
			if c == '\\' {
				i++ // Skips the escaped character.
			}
		case c == '[' || c == '{':
			if depth++; depth > MaxDepth {
				return true
			}
		case c == ']' || c == '}':
			depth--
		}
	}
	return false
}
