// Package table tests the behaviours that all resources have, with each of them: a row is a resource, a column is a test.
package table
