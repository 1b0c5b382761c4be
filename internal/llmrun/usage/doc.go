// Package usage finds the tokens and costs that a run states, prices them and adds them up over traces.
//
// A provider's block of usage becomes usage_metadata (provider.go), the first of several places that states one counts
// (places.go), a price map finds the price of a call (price_map.go), and the cost follows from both in exact decimals
// (cost.go).
package usage
