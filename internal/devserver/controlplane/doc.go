// Package controlplane is the control plane: deployments and their revisions, listeners and integrations.
package controlplane
