// Package listener offers the listeners of a workspace, to which external_container deployments are bound, as resource,
// list resource and data sources.
package listener
