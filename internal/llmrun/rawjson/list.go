package rawjson

import (
	"encoding/json"
	"iter"
	"slices"
)

// AllObjects reports whether all values are objects.
func AllObjects(list []json.RawMessage) bool {
	return !slices.ContainsFunc(list, func(raw json.RawMessage) bool { return !IsObject(raw) })
}

// Objects returns the elements of a list as objects, empty ones for those that aren't. Nobody may keep the members of one together.
func Objects(list []json.RawMessage) iter.Seq2[int, Object] {
	return func(yield func(int, Object) bool) {
		o := Borrow()
		defer o.Return()
		for i, raw := range list {
			if o.Reuse(raw); !yield(i, *o) {
				return
			}
		}
	}
}

// AnyObject reports whether any element of a list, as an object, is of a kind.
func AnyObject(list []json.RawMessage, is func(Object) bool) bool {
	for _, o := range Objects(list) {
		if is(o) {
			return true
		}
	}
	return false
}

// Elements iterates over the elements of a list, and needs no memory for it. Any other value has none.
func Elements(raw []byte) iter.Seq[json.RawMessage] {
	return func(yield func(json.RawMessage) bool) {
		if !IsArray(raw) {
			return
		}
		for i := skipSpace(raw, skipSpace(raw, 0)+1); raw[i] != ']'; {
			end := skipValue(raw, i)
			if !yield(raw[i:end:end]) {
				return
			}
			if i = skipSpace(raw, end); raw[i] == ',' {
				i = skipSpace(raw, i+1)
			}
		}
	}
}
