// Package listener provides the listeners of a workspace, which run external_container deployments, as a resource, a list
// resource and data sources.
package listener
