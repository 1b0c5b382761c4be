// Package rollout follows a revision of a deployment to its end: it knows the states, and what of them is success, failure
// or neither.
package rollout
