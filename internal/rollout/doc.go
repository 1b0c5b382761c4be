// Package rollout follows a revision of a deployment until it ends: it knows which states mean success, failure or progress.
package rollout
