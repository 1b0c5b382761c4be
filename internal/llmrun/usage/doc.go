// Package usage finds the tokens and costs that a run reports, prices them and adds them up over traces.
//
// The first of several locations that reports usage counts (places.go). A provider's block there is converted to
// usage_metadata (block.go, provider.go) by the table counts.txt, which says what its counts mean (table.go). A price
// map finds the price of a call (price.go), and the cost follows from both (cost.go).
package usage
