// Package core makes the calls of Terraform's core to a provider in this process, without a CLI: Driver for one resource, command by
// command, and Test for acceptance test cases.
//
// It enforces core's rules for providers: an apply keeps the planned known values, values are unknown only while planning,
// a second plan agrees with the first, identity and private state are carried over, and write-only values are never
// returned. Of the language, it evaluates literals, variables, locals and references. A test case that uses anything else, such as
// count, functions of the provider, imports or lifecycle blocks, needs the real CLI.
package core
