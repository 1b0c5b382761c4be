package pages

import (
	"encoding/base64"
	"strconv"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/controlplane"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages/web"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// rowsPerPage is the number of rows of a list on a page.
const rowsPerPage = 50

// offsetPage is a page of a counted list, by its cursor.
type offsetPage struct {
	web.Address
	offset int
}

// paged reads the cursor of a list at a path; its window has one row more than is shown, which shows whether more follow.
func paged(c *rest.Call, path string) (offsetPage, store.Page) {
	p := offsetPage{Address: addressOf(c, path)}
	if text, err := base64.RawURLEncoding.DecodeString(p.Query.Get("cursor")); err == nil {
		if offset, err := strconv.Atoi(string(text)); err == nil && offset > 0 {
			p.offset = offset
		}
	}
	return p, store.Page{Limit: rowsPerPage + 1, Offset: p.offset}
}

func (p offsetPage) at(offset int) string {
	if offset == 0 {
		return p.With()
	}
	return p.With("cursor", base64.RawURLEncoding.EncodeToString([]byte(strconv.Itoa(offset))))
}

// window removes the extra row, and returns the links to the neighbouring pages.
func window[T any](p offsetPage, rows []T) ([]T, web.Paging) {
	var paging web.Paging
	if p.offset > 0 {
		paging.PreviousURL = p.at(max(0, p.offset-rowsPerPage))
	}
	if len(rows) > rowsPerPage {
		rows, paging.NextURL = rows[:rowsPerPage], p.at(p.offset+rowsPerPage)
	}
	return rows, paging
}

func (s *Service) showDeployment(c *rest.Call, frame web.Frame) (web.View, error) {
	row, err := rest.Named(c, "deployment_id", controlplane.ReadDeployment)
	if err != nil {
		return nil, err
	}
	d, err := s.control.Response(c, row)
	if err != nil {
		return nil, err
	}
	view := web.DeploymentView{
		Frame: frame, Deployment: summaryOf(row), Filter: revisionFilter(c),
		EnvironmentNames:     form.Collect(d.Secrets, func(s api.Secret) string { return s.Name }),
		SecretReferenceNames: form.Collect(d.SecretReferences, func(r api.SecretReference) string { return r.Name }),
	}
	// Live updates cover only the first page of revisions.
	view.Live = moving(row) && c.Request.URL.Query().Get("cursor") == ""
	if view.HCL, err = hclOf(d, c.Dialect); err != nil {
		return nil, err
	}
	if view.Configuration, err = settingsOf(d); err != nil {
		return nil, err
	}
	if view.Timeline, err = s.timeline(c, frame, row); err != nil {
		return nil, err
	}
	view.ProjectID = view.Timeline.ProjectID
	return view, nil
}

func (s *Service) showListeners(c *rest.Call, frame web.Frame) (web.View, error) {
	view := web.ListenersView{Frame: frame}
	p, page := paged(c, frame.Paths().Listeners())
	rows, err := c.Tx.Listeners(c.WorkspaceID, page)
	if err != nil {
		return nil, err
	}
	rows, view.Paging = window(p, rows)
	view.HCL = hclOfListeners(form.Collect(rows, controlplane.NewListener))
	for _, row := range rows {
		users, err := c.Tx.DeploymentsOn(c.WorkspaceID, row.ID)
		if err != nil {
			return nil, err
		}
		view.Listeners = append(view.Listeners, web.Listener{
			ID: row.ID, ComputeType: row.ComputeType, ComputeID: row.ComputeID, Version: api.OrEmpty(row.Version), Namespaces: row.K8sNamespaces,
			Deployments: form.Collect(users, func(d store.Deployment) web.ListenerUser {
				return web.ListenerUser{ID: d.ID, Name: d.Name, Namespace: api.OrEmpty(d.K8sNamespace)}
			}), CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt,
		})
	}
	return view, nil
}

func (s *Service) showIntegrations(c *rest.Call, frame web.Frame) (web.View, error) {
	view := web.IntegrationsView{Frame: frame}
	rows, err := c.Tx.Integrations(c.WorkspaceID, false)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		repositories, err := c.Tx.Repositories(c.WorkspaceID, row.ID)
		if err != nil {
			return nil, err
		}
		view.Integrations = append(view.Integrations, web.Integration{
			ID: row.ID, Name: row.Name, InstallationID: row.InstallationID,
			Repositories: form.Collect(repositories, func(r store.Repository) web.Repository {
				return web.Repository{Owner: r.Owner, Name: r.Name, URL: r.URL, DefaultBranch: r.DefaultBranch}
			}),
		})
	}
	return view, nil
}
