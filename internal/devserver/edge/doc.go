// Package edge takes requests off the network: it serves a listener until the process is told to stop, and lets requests finish then. It
// gives each request an ID, which all records of the log have that are about it.
//
// It knows neither paths nor what a request means.
package edge
