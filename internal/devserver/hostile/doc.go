// Package hostile generates nearly valid requests to every endpoint of the dev server: bodies as in the OpenAPI document, or those of the
// tracing service, most of them malformed. Tests check how each is refused.
package hostile
