// Package tracingproject offers the tracing projects of a workspace, one of which is created with each deployment, as a
// data source.
package tracingproject
