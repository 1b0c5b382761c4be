// Package resourcespec is the attribute source_config.resource_spec of a deployment: its schema, what is wrong with a value
// of it, its way to the API and back, and whether a change of it makes a revision.
package resourcespec
