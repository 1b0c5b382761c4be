// Package chaos tests the provider against a control plane whose answers get lost, garbled and replaced by others, with
// random configurations, changes by others in between, and seeds that repeat a run. It has no code but its tests.
package chaos
