// Package revision provides the revisions of a deployment as data sources, and actions that redeploy one.
package revision
