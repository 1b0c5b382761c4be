package form

// Contains reports whether a JSON text contains a value, like a query of a document store: objects contain their keys, lists their elements
// in any order, and any other value only itself.
func Contains(text string, wanted any) bool {
	value, err := Parse([]byte(text))
	return err == nil && contains(value, wanted)
}

func contains(value, wanted any) bool {
	switch wanted := wanted.(type) {
	case map[string]any:
		object, is := value.(map[string]any)
		for key, inner := range wanted {
			outer, has := object[key]
			is = is && has && contains(outer, inner)
		}
		return is
	case []any:
		list, is := value.([]any)
		for _, inner := range wanted {
			is = is && containsElement(list, inner)
		}
		return is
	default:
		return value == wanted
	}
}

func containsElement(list []any, wanted any) bool {
	for _, element := range list {
		if contains(element, wanted) {
			return true
		}
	}
	return false
}
