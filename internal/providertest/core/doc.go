// Package core runs acceptance test cases without a CLI: it evaluates their configurations, plans and applies as
// Terraform core does, and calls the provider in this process.
//
// It enforces core's rules for providers: an apply keeps the planned known values, values are unknown only while planning,
// a second plan agrees with the first, identity and private state are carried over, and write-only values are never
// returned. A test case that uses something unsupported, such as modules or lifecycle blocks, fails: it needs the real CLI.
package core
