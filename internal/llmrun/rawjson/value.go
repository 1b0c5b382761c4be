package rawjson

import (
	"bytes"
	"encoding/json"
	"reflect"
)

// IsNullOrAbsent reports whether a member is null or doesn't exist.
func IsNullOrAbsent(raw json.RawMessage) bool { return raw == nil || IsNull(raw) }

// IsVoidOrAbsent reports whether a member has no content or doesn't exist.
func IsVoidOrAbsent(raw json.RawMessage) bool { return raw == nil || IsVoid(raw) }

// IsEmpty reports whether a value is void, absent or an empty string.
func IsEmpty(raw json.RawMessage) bool { return IsVoidOrAbsent(raw) || string(raw) == `""` }

// IsSame reports whether two values differ only in white space and the order of keys.
func IsSame(a, b json.RawMessage) bool {
	var x, y any
	return bytes.Equal(a, b) || json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// Compact returns the text of a value without white space.
func Compact(raw json.RawMessage) string {
	var b bytes.Buffer
	b.Grow(len(raw))
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	return b.String()
}
