// Package protocol stands between Terraform's calls and the plugin framework. Each call passes a list of steps, which free its memory,
// explain its errors, check the values that it uses, and answer it without the framework where that is much faster.
package protocol
