// Package functions are the provider's functions: pure and offline, in files by what they are about.
package functions
