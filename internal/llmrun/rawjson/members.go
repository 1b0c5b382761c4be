package rawjson

import (
	"encoding/json"
	"io"
	"maps"
	"slices"
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
		m.Put(key, EncodeMembers(members))
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

// EncodeMembers joins the members of an object without decoding their values, which are JSON and can be large.
func EncodeMembers(members map[string]json.RawMessage) []byte {
	return Object(nil).WithAll(members).Encode()
}

// MembersSize is the number of bytes that WriteMembers writes if no name needs escaping.
func MembersSize(members map[string]json.RawMessage) int64 {
	size := len("{}")
	for key, value := range members {
		size += len(key) + len(value) + len(`"":,`)
	}
	return int64(size - min(1, len(members))) // The last member has no comma.
}

// WriteMembers is EncodeMembers without copying the values.
func WriteMembers(w io.Writer, members map[string]json.RawMessage) error {
	before := "{"
	for _, key := range slices.Sorted(maps.Keys(members)) {
		for _, part := range [][]byte{[]byte(before), Quote(key), []byte(":"), members[key]} {
			if _, err := w.Write(part); err != nil {
				return err
			}
		}
		before = ","
	}
	end := "}"
	if len(members) == 0 {
		end = "{}"
	}
	_, err := io.WriteString(w, end)
	return err
}
