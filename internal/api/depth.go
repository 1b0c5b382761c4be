package api

// MaxDepth is how deep the JSON of the control plane may be nested. Its messages need a dozen levels; what is deeper is made to
// exhaust the stack of whoever reads it.
const MaxDepth = 1000

// TooDeep says whether JSON is nested deeper than MaxDepth. It takes no stack, and goes by brackets: the body need not be
// valid.
func TooDeep(body []byte) bool {
	depth, quoted := 0, false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case c == '"':
			quoted = !quoted
		case quoted:
			if c == '\\' {
				i++ // Whatever is escaped.
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
