package web

import "net/http"

// ContentSecurityPolicy allows only what the pages need. Images and media come from data in a run; pages can't load
// anything from elsewhere, or execute logged data.
const ContentSecurityPolicy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; " +
	"media-src data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// FollowHeader marks the requests of an open page that keeps itself up to date. It needs what moves, and nothing else.
const FollowHeader = "X-Follow"

// SetHeaders sets the headers of every page. Pages show the current state, so they are not cached. Other sites don't learn
// the URL of the linking page; forms of pages need their origin, by which the server recognizes them.
func SetHeaders(h http.Header) {
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", ContentSecurityPolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	h.Set("Vary", "Accept, Accept-Encoding")
}

// SetJSONHeaders is SetHeaders for a page as JSON.
func SetJSONHeaders(h http.Header) {
	SetHeaders(h)
	h.Set("Content-Type", "application/json")
}
