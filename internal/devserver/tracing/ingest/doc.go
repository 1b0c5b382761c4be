// Package ingest turns the requests by which clients log runs into operations on runs.
//
// It knows how clients write: one run, a batch, or multipart, plain or compressed. What a run means and
// how it is stored is not its business.
package ingest
