package pages

import (
	"net/url"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages/web"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/session"
)

// viewParameters are the parts of a project's address that a view keeps.
var viewParameters = []string{"q", "scope", "run_type", "status", "range", "from", "to", "tz", "by", "groups", "sort", "order"}

// viewOf returns what a view keeps of a query.
func viewOf(query url.Values) string {
	kept := url.Values{}
	for _, name := range viewParameters {
		if value := query.Get(name); value != "" {
			kept.Set(name, value)
		}
	}
	return kept.Encode()
}

// addViews adds the saved views of the user, and what would be saved now.
func addViews(c *rest.Call, path, projectID string, view *web.ProjectView) error {
	view.ViewQuery = viewOf(c.Request.URL.Query())
	saved, err := c.Tx.SavedViews(c.WorkspaceID, projectID, c.UserID)
	for _, v := range saved {
		view.Views = append(view.Views, web.SavedView{Name: v.Name, URL: path + "?" + v.Query, Current: v.Query == view.ViewQuery})
	}
	return err
}

// changeViews saves a view of a project for the user, or deletes it.
func changeViews(c *rest.Call, frame web.Frame) (back string, err error) {
	row, err := rest.Named(c, "session_id", session.Read)
	if err != nil {
		return "", err
	}
	back = frame.Paths().Project(row.ID)
	posted := c.Request.PostForm
	if query, err := url.ParseQuery(posted.Get("query")); err == nil && len(query) > 0 {
		back += "?" + viewOf(query)
	}
	return back, saveView(c, row.ID, posted)
}

// saveView saves or deletes a view, as a posted form says.
func saveView(c *rest.Call, projectID string, posted url.Values) error {
	name := strings.Join(strings.Fields(posted.Get("name")), " ")
	if posted.Get("delete") != "" {
		return c.Tx.DeleteView(c.WorkspaceID, projectID, c.UserID, name)
	}
	query, err := url.ParseQuery(posted.Get("query"))
	kept := viewOf(query)
	switch {
	case err != nil:
		return form.Broken("The form is invalid.")
	case name == "" || len(name) > limits.ViewName || len(kept) > limits.ViewQuery:
		return form.Broken("A view needs a name of at most %d bytes, and a search of at most %d.", limits.ViewName, limits.ViewQuery)
	}
	saved, err := c.Tx.SavedViews(c.WorkspaceID, projectID, c.UserID)
	if err != nil {
		return err
	}
	if known := slices.ContainsFunc(saved, func(v store.SavedView) bool { return v.Name == name }); !known && len(saved) >= limits.SavedViews {
		return form.Broken("A project can have at most %d views of a user. Delete one first.", limits.SavedViews)
	}
	return c.Tx.SaveView(c.WorkspaceID, projectID, c.UserID, store.SavedView{Name: name, Query: kept})
}
