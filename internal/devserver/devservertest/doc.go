// Package devservertest runs a server for the tests of its services and sends requests to it.
package devservertest
