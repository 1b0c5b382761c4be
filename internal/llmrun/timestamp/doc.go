// Package timestamp reads times in all forms that clients send, and formats them as the service does.
package timestamp
