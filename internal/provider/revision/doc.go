// Package revision offers the revisions of a deployment, one rollout each, as data sources.
package revision
