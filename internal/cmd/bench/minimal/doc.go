// Command minimal is a provider for the benchmark: its only resource has ten strings and calls no service, so what it costs
// is the plugin framework's own share.
package main
