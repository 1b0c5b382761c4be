// Package resourcespec is the attribute source_config.resource_spec of a deployment: its schema, its validation, its
// conversion to and from the API, and whether a change makes a revision.
package resourcespec
