// Package web renders the pages that show the dev server's data.
//
// It knows nothing of the database or of HTTP requests: callers fill a page's view with plain values, and Pages renders
// HTML. Every string of a view may be foreign and is escaped; the only markup that doesn't come from templates is the SVG
// of charts. The pages work without JavaScript. The files in static/ add only live updates and shortcuts.
//
// Zero times and nil durations are unknown and are shown as a dash. Nil and empty lists are omitted, and pages with an
// empty list explain how to fill it.
//
// Pages must be served with ContentSecurityPolicy.
package web
