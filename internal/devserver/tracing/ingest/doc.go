// Package ingest converts requests that log runs into operations on runs.
//
// It knows the request formats: one run, a batch, or multipart, plain or compressed. It doesn't interpret or store runs.
package ingest
