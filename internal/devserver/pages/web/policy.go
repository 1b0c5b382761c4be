package web

import "net/http"

// ContentSecurityPolicy is what the pages need and nothing else. Images and media come from data that a run holds; no
// page can be made to load anything from elsewhere, or to run what was logged.
const ContentSecurityPolicy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; " +
	"media-src data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// SetHeaders sets what every page has to be sent with. Pages show the state of the moment, so they are not cached. Other sites
// don't learn where a link was; forms of pages need their origin, by which the server knows them.
func SetHeaders(h http.Header) {
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", ContentSecurityPolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	h.Set("Vary", "Accept")
}

// SetJSONHeaders is SetHeaders for a page as JSON.
func SetJSONHeaders(h http.Header) {
	SetHeaders(h)
	h.Set("Content-Type", "application/json")
}
