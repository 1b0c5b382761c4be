// Package frameworktest creates values of the plugin framework for tests, runs validators, and summarizes diagnostics.
package frameworktest
