// Package tracing is the tracing service: logging and querying runs, projects, conversations, figures and prices.
package tracing
