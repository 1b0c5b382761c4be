package web

import "net/url"

// Paths are those of the pages. Each is a permanent link. They are the same for whoever routes requests, with a
// placeholder as the id: Paths{Base: "/ui"}.Run("{run_id}").
type Paths struct {
	// Base is Frame.Base.
	Base string
}

// Deployments is the path of the list.
func (p Paths) Deployments() string { return p.Base + "/deployments" }

// Deployment is the path of one.
func (p Paths) Deployment(id string) string { return p.Base + "/deployments/" + segment(id) }

// Events is the path that sends the timelines of deployments as server-sent events. It takes each id as a parameter.
func (p Paths) Events() string { return p.Base + "/events" }

// EventsParameter is the name of the parameter.
const EventsParameter = "deployment"

// Listeners is the path of the list.
func (p Paths) Listeners() string { return p.Base + "/listeners" }

// Integrations is the path of the list.
func (p Paths) Integrations() string { return p.Base + "/integrations" }

// Requests is the path of requests seen and armed faults.
func (p Paths) Requests() string { return p.Base + "/requests" }

// Projects is the path of the list.
func (p Paths) Projects() string { return p.Base + "/projects" }

// Project is the path of one.
func (p Paths) Project(id string) string { return p.Base + "/projects/" + segment(id) }

// Trace is the path of one.
func (p Paths) Trace(id string) string { return p.Base + "/traces/" + segment(id) }

// Run is the path of one.
func (p Paths) Run(id string) string { return p.Base + "/runs/" + segment(id) }

// Asset is the path of a file that pages need, by its name: style.css or app.js. It changes with the content.
func (p Paths) Asset(name string) string { return p.Base + "/assets/" + hashedName(name) }

// segment is an id as a part of a path. Placeholders of patterns stay what they are.
func segment(id string) string {
	if len(id) > 2 && id[0] == '{' && id[len(id)-1] == '}' {
		return id
	}
	return url.PathEscape(id)
}
