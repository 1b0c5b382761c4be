// Package rollout follows a revision of a deployment until it ends, and proves writes of deployments.
package rollout
