// Package usage finds the tokens and costs that a run reports, prices them and adds them up over traces.
//
// A provider's usage block is converted to usage_metadata (provider.go), the first of several locations that reports one
// counts (places.go), a price map finds the price of a call (price_map.go), and the cost follows from both in exact
// decimals (cost.go).
package usage
