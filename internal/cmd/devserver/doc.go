// Command devserver runs a deployment control plane for development and tests.
//
//	go run ./internal/cmd/devserver -addr 127.0.0.1:8124 -rollout 3s -seed -dev-api
//
// Its first line on standard output is "listening on URL". With -seed, export commands for a shell follow, and in any
// case "ready" once requests are served. Logs go to standard error.
package main
