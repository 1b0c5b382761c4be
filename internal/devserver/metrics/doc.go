// Package metrics counts and measures what a server does, for Prometheus.
//
// It knows no other package: those that do something call its methods, or are asked by a function when metrics are collected. Labels have few
// values, whatever clients send.
package metrics
