// Package tracing is the tracing service: runs as clients log and query them, projects, conversations, figures and prices.
package tracing
