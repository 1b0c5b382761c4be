// Package protocol stands between Terraform's calls and the plugin framework. Most calls pass a list of steps, which explain their
// errors, check the values that they use, and answer them without the framework where that is much faster.
package protocol
