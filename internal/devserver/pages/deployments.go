package pages

import (
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/controlplane"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages/web"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// moving reports whether a deployment will change without a request.
func moving(row store.Deployment) bool { return row.Latest.FinishedAt == nil || row.DueAt != nil }

func (s *Service) showDeployments(c *rest.Call, frame web.Frame) (web.View, error) {
	query := c.Request.URL.Query()
	path := frame.Paths().Deployments()
	view := web.DeploymentsView{Frame: frame, Live: true, Columns: deploymentColumns(addressOf(c, path)), Filter: web.DeploymentFilter{
		NameContains: query.Get("name_contains"), Status: query.Get("status"), DeploymentType: query.Get("deployment_type"), Rollout: query.Get("rollout"),
		Statuses: form.Texts(api.DeploymentStatuses), DeploymentTypes: form.Texts(form.Extended(c.Dialect, api.DeploymentTypes, api.ExtendedDeploymentTypes)),
		Rollouts: rolloutChoices, Sort: query.Get("sort"),
	}}
	p, page := paged(c, path)
	f := store.DeploymentFilter{
		NameContains: api.NonEmpty(view.Filter.NameContains), Status: api.NonEmpty(view.Filter.Status), DeploymentType: api.NonEmpty(view.Filter.DeploymentType),
		Order: view.Filter.Sort,
	}
	f.LatestStatuses, f.Reconciled = rolloutsThat(view.Filter.Rollout)
	rows, err := c.Tx.Deployments(c.WorkspaceID, f, page)
	rows, view.Paging = window(p, rows)
	view.Deployments = form.Collect(rows, summaryOf)
	if len(rows) == 0 && err == nil {
		err = nameListener(c, &view.Frame)
	}
	return view, err
}

// nameListener adds a listener to the data of an empty page, for its example.
func nameListener(c *rest.Call, frame *web.Frame) error {
	listeners, err := c.Tx.Listeners(c.WorkspaceID, store.Page{Limit: 1})
	for _, row := range listeners {
		frame.Server.ListenerID = row.ID
		if namespaces := controlplane.NewListener(row).ComputeConfig.K8sNamespaces; len(namespaces) > 0 {
			frame.Server.K8sNamespace = namespaces[0]
		}
	}
	return err
}

func summaryOf(row store.Deployment) web.DeploymentSummary {
	version := api.OrEmpty(row.ImageVersion)
	if version == "" && (row.ActiveImageURI != nil || row.ActiveRepoRef != nil) {
		version = controlplane.Artifact(store.Revision{ImageURI: row.ActiveImageURI, RepoRef: row.ActiveRepoRef, RepoCommitSHA: row.ActiveCommitSHA})
	}
	return web.DeploymentSummary{
		ID: row.ID, Name: row.Name, DisplayName: api.OrEmpty(row.DisplayName), Source: row.Source, DeploymentType: api.OrEmpty(row.DeploymentType),
		Status: row.Status, LatestRevisionStatus: row.Latest.Status, LatestRevisionID: row.Latest.ID, ActiveRevisionID: api.OrEmpty(row.ActiveRevisionID), ActiveVersion: version, ActiveSince: api.OrEmpty(row.ActiveSince), CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt,
	}
}

// The states of a rollout that stand for several statuses.
const (
	rolloutFailed  = "failed"
	rolloutPending = "in progress"
)

// rolloutChoices are the states of rollouts by which lists can be filtered.
var rolloutChoices = slices.Concat([]string{rolloutFailed, rolloutPending}, form.Texts(api.RevisionStatuses))

// failedStatuses are those of failed rollouts.
var failedStatuses = slices.DeleteFunc(form.Texts(api.RevisionStatuses), func(status string) bool { return !strings.HasSuffix(status, "FAILED") })

// rolloutsThat returns the statuses of revisions in a state, or whether they are finished; nil matches all.
func rolloutsThat(state string) (statuses []string, finished *bool) {
	switch state {
	case "":
		return nil, nil
	case rolloutFailed:
		return failedStatuses, nil
	case rolloutPending:
		return nil, new(false)
	default:
		return []string{state}, nil
	}
}

// deploymentColumns returns the headings of the list of deployments, with links that sort by some of them, or no longer.
func deploymentColumns(at web.Address) []web.Column {
	columns := []web.Column{{Label: "Name"}, {Label: "Status"}, {Label: "Latest rollout"}, {Label: "Serves"}, {Label: "Source"}, {Label: "Type"}, {Label: "Updated"}}
	for i, sort := range map[int]struct{ by, order string }{0: {"name", "ascending"}, 2: {"rollout", "other"}, 6: {"updated", "descending"}} {
		columns[i].URL = at.With("sort", sort.by)
		if at.Query.Get("sort") == sort.by {
			columns[i].URL, columns[i].Order = at.With("sort", ""), sort.order
		}
	}
	return columns
}
