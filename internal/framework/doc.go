// Package framework has what all resources, data sources and functions need from the plugin framework and knows no resources:
// the configured client, the translation of API errors into diagnostics, plan modifiers and null handling.
package framework
