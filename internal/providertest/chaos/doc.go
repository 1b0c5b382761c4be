// Package chaos tests the provider against a control plane whose responses are lost, garbled or replaced, with random
// configurations, changes by other users in between, and seeds that repeat a run. It contains only tests.
package chaos
