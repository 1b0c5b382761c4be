// Package rest turns a request into a transaction and its result into a response.
//
// It authenticates requests, decodes and validates bodies and parameters, writes answers and errors in a dialect's terms,
// logs requests, and applies armed faults. The services implement the operations themselves and offer them as endpoints.
package rest
