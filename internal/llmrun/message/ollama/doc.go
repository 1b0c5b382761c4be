// Package ollama joins streams of Ollama's own interface.
package ollama
