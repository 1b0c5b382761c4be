// Package providertest is the harness of the acceptance tests. It runs the provider with or without a real CLI, against a
// dev server in this process or, if AGENTPLANE_BASE_URL is set, against a real control plane. In a dialect that has an
// OpenAPI document, every request and response is validated against it.
package providertest
