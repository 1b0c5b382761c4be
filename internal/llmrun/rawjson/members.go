package rawjson

import (
	"encoding/json"
	"maps"
)

// Members are members of an object, by key.
type Members map[string]json.RawMessage

// Put sets a value, and creates the map if necessary.
func (m *Members) Put(key string, value json.RawMessage) {
	if *m == nil {
		*m = Members{}
	}
	(*m)[key] = value
}

// PutObject sets a member to an object with some members, if there are any.
func (m *Members) PutObject(key string, members Members) {
	if len(members) > 0 {
		m.Put(key, Object(nil).WithAll(members).Encode())
	}
}

// Without returns the members but one, nil if there are no others.
func (m Members) Without(key string) Members {
	return m.without(func(k string, _ json.RawMessage) bool { return k == key })
}

// WithoutVoid returns the members without those that are null, an empty list or an empty object.
func (m Members) WithoutVoid() Members {
	return m.without(func(_ string, value json.RawMessage) bool { return IsVoid(value) })
}

func (m Members) without(is func(string, json.RawMessage) bool) Members {
	rest := maps.Clone(m)
	if maps.DeleteFunc(rest, is); len(rest) == 0 {
		return nil
	}
	return rest
}
