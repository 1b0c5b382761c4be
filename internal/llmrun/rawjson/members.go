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
	if _, ok := m[key]; !ok {
		return m
	}
	return maps.Clone(m).remove(func(k string, _ json.RawMessage) bool { return k == key })
}

// RemoveVoid removes the members that are null, an empty list or an empty object, and returns the rest, nil if there is none.
func (m Members) RemoveVoid() Members {
	return m.remove(func(_ string, value json.RawMessage) bool { return IsVoid(value) })
}

func (m Members) remove(is func(string, json.RawMessage) bool) Members {
	if maps.DeleteFunc(m, is); len(m) == 0 {
		return nil
	}
	return m
}
