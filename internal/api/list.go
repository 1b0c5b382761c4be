package api

// List is one page of a list: {"resources": […], "offset": N}. Some endpoints and older installations return a bare array instead.
type List[T any] struct {
	Resources []T `json:"resources"`
	// Offset is the service's suggestion for the next page. Its value on the last page is not documented, so readers count by
	// themselves.
	Offset int64 `json:"offset"`
}
