// Package poll waits for a condition that has to be checked again and again: one loop, and the policy for its intervals.
//
// The interval grows with the time already waited, so that the delay in noticing the end is the same small share of a
// short wait and of a long one. Time comes from a Clock, so tests don't have to wait.
package poll
