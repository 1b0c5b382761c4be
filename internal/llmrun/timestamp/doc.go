// Package timestamp reads times in all forms in which clients send them, and writes them as the service does.
package timestamp
