// Package integration offers the git hosting integrations of a workspace, which git_host deployments build from, as data
// sources.
package integration
