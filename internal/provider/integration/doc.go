// Package integration offers the git hosting integrations of a workspace, which git_host deployments build from, and
// their repositories as data sources.
package integration
