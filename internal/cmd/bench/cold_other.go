//go:build !linux

package main

// forgetFile does nothing: only what the server itself had in memory is gone after a restart.
func forgetFile(string) error { return nil }
