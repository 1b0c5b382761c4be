// Package web writes the pages on which people look at what the dev server holds.
//
// It knows nothing of the database or of HTTP requests: whoever serves a page fills its view, which is plain values, and
// Pages writes HTML. Every text of a view may come from anybody and is escaped; the only markup that isn't a template's
// is the SVG of charts. The pages work without JavaScript. What is under static/ adds live updates and nothing else.
//
// A time that is zero and a duration that is nil are not known and are shown as a dash. Lists that are nil or empty are
// not there, and pages whose list is empty say what fills it.
//
// Pages may only be served under ContentSecurityPolicy.
package web
