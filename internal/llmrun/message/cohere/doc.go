// Package cohere reads version 1 of that provider's chat API, whose messages are strings, and reduces the streams of both versions.
// The messages of version 2 are chat completions.
package cohere
