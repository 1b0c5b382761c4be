// Package rest takes a request from the network to its answer.
//
// It serves a listener until the process is told to stop, gives each request an ID, and follows trusted proxies to the client that sent it.
// It authenticates the request, runs the endpoint's handler in a transaction that reads or writes, and writes the answer or the refusal in
// the terms of a dialect. It applies armed faults, logs requests, and counts them for Prometheus.
//
// Package form decodes bodies and refuses requests, so that most of a service knows no HTTP. The services implement the operations and
// offer them as endpoints.
package rest
