package rawjson

import "encoding/json"

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

// Without returns the members but one.
func (m Members) Without(key string) Members {
	if _, ok := m[key]; !ok {
		return m
	}
	var rest Members
	for k, value := range m {
		if k != key {
			rest.Put(k, value)
		}
	}
	return rest
}

// WithoutVoid returns the members without those that are null, an empty list or an empty object.
func (m Members) WithoutVoid() Members {
	void := false
	for _, value := range m {
		void = void || IsVoid(value)
	}
	if !void {
		return m
	}
	var rest Members
	for key, value := range m {
		if !IsVoid(value) {
			rest.Put(key, value)
		}
	}
	return rest
}
