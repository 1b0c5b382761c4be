package api

import (
	"bytes"
	"encoding/json"
)

// List is one page of a list: {"resources": […], "offset": N}. Some endpoints and older installations return a bare array
// instead; decoding accepts both.
type List[T any] struct {
	Resources []T `json:"resources"`
	// Offset is the service's suggestion for the next page. Its value on the last page is not documented, so readers count by
	// themselves.
	Offset int64 `json:"offset"`
}

// UnmarshalJSON accepts the wrapper and the bare array.
func (l *List[T]) UnmarshalJSON(data []byte) error {
	if bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte("[")) {
		*l = List[T]{}
		return json.Unmarshal(data, &l.Resources)
	}
	type wrapper List[T] // Without this method.
	return json.Unmarshal(data, (*wrapper)(l))
}
