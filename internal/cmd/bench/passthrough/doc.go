// Command passthrough is a provider for the benchmark: it has the schemas of the real provider and does nothing. What it
// costs is the share of Terraform and the plugin protocol, so what the real provider costs beyond it is the provider's own.
package main
