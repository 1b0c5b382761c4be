// Package integration offers the Git hosting integrations of a workspace, which git_host deployments build from, and
// their repositories as data sources.
package integration
