// Package run provides the runs of the tracing service: a data source that reads them, and a resource and an action that
// log one.
package run
