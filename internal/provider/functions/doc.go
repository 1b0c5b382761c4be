// Package functions are the provider's functions: pure, offline, each in a file of its own.
package functions
