// Package rest carries a request into a transaction and its answer out of it.
//
// It knows who asks, reads and checks bodies and parameters, writes answers and refusals in the words of a dialect, logs
// requests, and lets them go wrong where a fault is armed. What is asked for is the business of the
// services, which offer it as endpoints.
package rest
