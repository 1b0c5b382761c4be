// Package deployment is the resource agentplane_deployment: one deployment of an agent server, waited for until its
// revision is deployed.
package deployment
