package llmrun

import "encoding/json"

// members are members of an object by their keys.
type members map[string]json.RawMessage

// put keeps a value, and makes the map when there is none yet.
func (m *members) put(key string, value json.RawMessage) {
	if *m == nil {
		*m = members{}
	}
	(*m)[key] = value
}

// without is the members but one.
func (m members) without(key string) members {
	if _, ok := m[key]; !ok {
		return m
	}
	var rest members
	for k, value := range m {
		if k != key {
			rest.put(k, value)
		}
	}
	return rest
}

// withoutVoid is the members but those that are null, an empty list or an empty object.
func (m members) withoutVoid() members {
	var rest members
	for key, value := range m {
		if !isVoid(value) {
			rest.put(key, value)
		}
	}
	return rest
}
