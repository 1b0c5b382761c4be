// Package framework is what every resource, data source and function needs from the plugin framework, whatever the noun:
// the configured client, the translation of API errors into diagnostics, plan modifiers and null handling.
package framework
