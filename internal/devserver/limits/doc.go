// Package limits defines the limits that clients can reach, so that no request uses up the time or memory needed for
// others.
//
// A request beyond a limit is refused with an error that names the limit: 400 for filters, 413 for bodies, 422 for fields,
// and 503 if other requests must finish first.
package limits
