// Package rest turns a request into a transaction and its result into a response.
//
// It authenticates requests, reads parameters, writes answers and refusals in a dialect's terms, logs requests, and applies armed
// faults. What bodies say is read by form, and why a request is refused by refusal, so that most of a service knows no HTTP. The services implement the operations themselves and offer them as endpoints.
package rest
