// Package edge takes requests off the network: it serves a listener until the process is told to stop, and lets requests finish then. It
// gives each request an ID, which all records of the log have that are about it, and makes it the one that its client has sent to a trusted
// proxy.
//
// It knows neither paths nor what a request means.
package edge
