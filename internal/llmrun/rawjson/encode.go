package rawjson

import (
	"encoding/json"
	"io"
	"maps"
	"slices"
)

// EncodeMembers joins the members of an object without decoding their values, which are JSON and can be large.
func EncodeMembers(members map[string]json.RawMessage) []byte { return Object(nil).WithAll(members).Encode() }

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
