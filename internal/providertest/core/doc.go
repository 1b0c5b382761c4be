// Package core runs acceptance test cases without a CLI: it evaluates their configurations, plans and applies as
// Terraform's core does, and calls the provider in this process.
//
// It holds the provider to what core demands of it: planned known values are kept by the apply, values are unknown only
// while planning, a second plan agrees with the first, identity and private state are carried over, and write-only
// values never come back. What it doesn't understand, such as modules or lifecycle blocks, fails the test: such test
// cases need the real CLI.
package core
