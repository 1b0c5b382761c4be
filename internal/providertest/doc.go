// Package providertest is the harness of the acceptance tests: the provider, without a CLI or under a real one, against the
// dev server in this process, or against a real control plane when AGENTPLANE_BASE_URL is set. In a dialect that has a
// contract, what either side says is held to it on the way.
package providertest
