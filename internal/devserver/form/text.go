package form

// Beginning returns the first characters of a text, and whether there are more. It doesn't read the rest, which can have megabytes.
func Beginning(text string, characters int) (beginning string, more bool) {
	for at := range text {
		if characters--; characters < 0 {
			return text[:at], true
		}
	}
	return text, false
}

// Shortened is Beginning with an ellipsis in place of the rest.
func Shortened(text string, characters int) string {
	beginning, more := Beginning(text, characters)
	if more {
		return beginning + "…"
	}
	return beginning
}
