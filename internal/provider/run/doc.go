// Package run offers the runs of the tracing service: the data source that reads them, and the resource and the action that
// log one.
package run
