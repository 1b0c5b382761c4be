// Package revision provides the revisions of a deployment as data sources, and an action that redeploys one.
package revision
