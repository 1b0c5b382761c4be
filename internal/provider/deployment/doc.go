// Package deployment is the resource agentplane_deployment: one deployment of an agent server. An apply waits until its
// revision is deployed.
package deployment
