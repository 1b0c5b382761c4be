// Package cohere reads version 1 of that provider's chat API, whose messages are strings. Version 2 is chat completions.
package cohere
