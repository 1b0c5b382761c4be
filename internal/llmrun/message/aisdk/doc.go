// Package aisdk reads and checks the calls and results of the AI SDK, whose parts have names such as tool-call, and reduces its
// streams.
package aisdk
