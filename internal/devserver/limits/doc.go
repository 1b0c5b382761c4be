// Package limits is the table of bounds that clients can reach, so that no request takes the server's time or memory from
// the others.
//
// Each is refused in words that name the bound: with 400 where a filter is too much, 413 where a body is, 422 where a field
// is, and 429 where others have to be answered first.
package limits
