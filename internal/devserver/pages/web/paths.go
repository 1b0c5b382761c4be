package web

import (
	"fmt"
	"net/url"
	"strconv"
	"time"
)

// Paths are the paths of the pages, which are permanent links. For routing, an ID can be a placeholder: Paths{Base:
// "/ui"}.Run("{run_id}").
type Paths struct {
	// Base is Frame.Base.
	Base string
}

// Deployments is the path of the list.
func (p Paths) Deployments() string { return p.Base + "/deployments" }

// Deployment is the path of one.
func (p Paths) Deployment(id string) string { return p.Base + "/deployments/" + segment(id) }

// Logs is the path of the logs of a revision.
func (p Paths) Logs(deployment, revision string) string {
	return p.Rollout(deployment, revision) + "/logs"
}

// Rollout is the path of a revision.
func (p Paths) Rollout(deployment, revision string) string {
	return p.Deployment(deployment) + "/revisions/" + segment(revision)
}

// Redeploy is the path that rolls a revision out again.
func (p Paths) Redeploy(deployment, revision string) string {
	return p.Rollout(deployment, revision) + "/redeploy"
}

// Settings is the path of the page that compares two deployments.
func (p Paths) Settings() string { return p.Deployments() + "/compare" }

// SettingsOf is that page with a deployment chosen.
func (p Paths) SettingsOf(name string) string {
	return p.Settings() + "?" + url.Values{"a": {name}}.Encode()
}

// Listeners is the path of the list.
func (p Paths) Listeners() string { return p.Base + "/listeners" }

// Integrations is the path of the list.
func (p Paths) Integrations() string { return p.Base + "/integrations" }

// OAuth is the path of OAuth providers, tokens and agent connections.
func (p Paths) OAuth() string { return p.Base + "/oauth" }

// Connect is the path that starts a login at an OAuth provider.
func (p Paths) Connect(providerID string) string {
	return p.Base + "/oauth/" + segment(providerID) + "/connect"
}

// Prices is the path of the prices of models.
func (p Paths) Prices() string { return p.Base + "/prices" }

// Space is the path of what takes how much.
func (p Paths) Space() string { return p.Base + "/space" }

// Requests is the path of logged requests and armed faults.
func (p Paths) Requests() string { return p.Base + "/requests" }

// Datasets is the path of the list.
func (p Paths) Datasets() string { return p.Base + "/datasets" }

// Dataset is the path of one, with its experiments side by side.
func (p Paths) Dataset(id string) string { return p.Base + "/datasets/" + segment(id) }

// Projects is the path of the list.
func (p Paths) Projects() string { return p.Base + "/projects" }

// Project is the path of one.
func (p Paths) Project(id string) string { return p.Base + "/projects/" + segment(id) }

// Figures is the path of the figures of a project's runs.
func (p Paths) Figures(id string) string { return p.Project(id) + "/figures" }

// ProjectBetween is the page of a project between two times.
func (p Paths) ProjectBetween(id string, from, to time.Time) string {
	bounds := url.Values{"from": {from.UTC().Format(time.RFC3339Nano)}, "to": {to.UTC().Format(time.RFC3339Nano)}}
	return p.Project(id) + "?" + bounds.Encode()
}

// Trace is the path of one.
func (p Paths) Trace(id string) string { return p.Base + "/traces/" + segment(id) }

// TraceRun is the page of a trace with one of its runs selected.
func (p Paths) TraceRun(trace, run string) string {
	return p.Trace(trace) + "?" + url.Values{"run": {run}}.Encode()
}

// Thread is the page of a conversation in a project.
func (p Paths) Thread(project, thread string) string {
	return p.Threads(project) + "?" + url.Values{"thread": {thread}}.Encode()
}

// TracesOfRevision is the path of a project's traces whose metadata contains a revision, which clients log from the
// environment variable LANGCHAIN_REVISION_ID.
func (p Paths) TracesOfRevision(project, revision string) string {
	filter := fmt.Sprintf("and(eq(metadata_key, %q), eq(metadata_value, %q))", "revision_id", revision)
	return p.Project(project) + "?" + url.Values{"q": {filter}, "range": {"30d"}}.Encode()
}

// Feedback is the path of the feedback on a project and on its runs.
func (p Paths) Feedback(project string) string { return p.Project(project) + "/feedback" }

// Views is the path that saves and deletes views of a project.
func (p Paths) Views(project string) string { return p.Project(project) + "/views" }

// Threads is the path of a project's conversations.
func (p Paths) Threads(project string) string { return p.Project(project) + "/threads" }

// Compare is the page that compares two runs.
func (p Paths) Compare(a, b string) string {
	return p.Comparison() + "?" + url.Values{"a": {a}, "b": {b}}.Encode()
}

// Comparison is the path of that page.
func (p Paths) Comparison() string { return p.Base + "/compare" }

// RawRun is the path of a run as JSON, or of one of its members.
func (p Paths) RawRun(id string) string { return p.Run(id) + "/raw" }

// Message is the page of a message of a run's inputs or outputs, by its number.
func (p Paths) Message(run, side string, number int) string {
	return p.Messages(run) + "?" + url.Values{"side": {side}, "n": {strconv.Itoa(number)}}.Encode()
}

// Messages is the path of that page.
func (p Paths) Messages(run string) string { return p.Run(run) + "/message" }

// Share is the path that shares a run, or no longer shares it.
func (p Paths) Share(run string) string { return p.Run(run) + "/share" }

// ShareThread is the path that shares a conversation of a project, or no longer shares it.
func (p Paths) ShareThread(project string) string { return p.Threads(project) + "/share" }

// Shares is the path of the list of what is shared.
func (p Paths) Shares() string { return p.Base + "/shares" }

// Shared is the page of a run for anybody who has the token of its share.
func (p Paths) Shared(token string) string { return "/public/" + segment(token) + "/r" }

// SharedThread is Shared for a conversation.
func (p Paths) SharedThread(token string) string { return "/public/" + segment(token) + "/t" }

// Test is the page with a test of a run.
func (p Paths) Test(run string) string { return p.Run(run) + "/test" }

// Run is the path of one.
func (p Paths) Run(id string) string { return p.Base + "/runs/" + segment(id) }

// Asset is the path of a file used by pages: style.css or app.js. It changes with the content.
func (p Paths) Asset(name string) string { return p.Base + "/assets/" + hashedName(name) }

// segment returns an ID as part of a path. Placeholders of patterns are unchanged.
func segment(id string) string {
	if len(id) > 2 && id[0] == '{' && id[len(id)-1] == '}' {
		return id
	}
	return url.PathEscape(id)
}
