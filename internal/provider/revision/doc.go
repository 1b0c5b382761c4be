// Package revision offers the revisions of a deployment, one rollout each, as data sources, and an action that redeploys
// one.
package revision
