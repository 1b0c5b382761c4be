// Package modelprice provides the entries of a workspace's price map, from which the tracing service computes the costs of
// runs, as a resource.
package modelprice
