// Package poll waits for something that can only be asked about: one loop, and the rule for how often it asks.
//
// The pause grows with the time already waited, so that noticing late costs the same small share of a short wait and of
// a long one. Time comes from a Clock, so tests wait for nothing.
package poll
