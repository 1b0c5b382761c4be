package pages

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages/web"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// rowsPerPage is the number of rows of a list on a page.
const rowsPerPage = 50

// offsetPage is a page of a counted list, by its cursor.
type offsetPage struct {
	offset int
	path   string
	query  url.Values
}

// paged reads the cursor of a list at a path; its window has one row more than is shown, which shows whether more follow.
func paged(c *rest.Call, path string) (offsetPage, store.Page) {
	p := offsetPage{path: path, query: c.Request.URL.Query()}
	if text, err := base64.RawURLEncoding.DecodeString(p.query.Get("cursor")); err == nil {
		if offset, err := strconv.Atoi(string(text)); err == nil && offset > 0 {
			p.offset = offset
		}
	}
	return p, store.Page{Limit: rowsPerPage + 1, Offset: p.offset}
}

func (p offsetPage) at(offset int) string {
	query := url.Values{}
	for key, values := range p.query {
		if key != "cursor" && values[0] != "" {
			query[key] = values
		}
	}
	if offset > 0 {
		query.Set("cursor", base64.RawURLEncoding.EncodeToString([]byte(strconv.Itoa(offset))))
	}
	if len(query) == 0 {
		return p.path
	}
	return p.path + "?" + query.Encode()
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

// moving says whether a deployment will change without a request.
func moving(row store.Deployment) bool { return row.Latest.FinishedAt == nil || row.DueAt != nil }

func (s *Service) showDeployments(c *rest.Call, frame web.Frame) (rendering, error) {
	view, err := s.deploymentsView(c, frame)
	return func(pages *web.Pages, w io.Writer) error { return pages.Deployments(w, view) }, err
}

func (s *Service) deploymentsView(c *rest.Call, frame web.Frame) (web.DeploymentsView, error) {
	query := c.Request.URL.Query()
	path := frame.Paths().Deployments()
	view := web.DeploymentsView{Frame: frame, Live: live(c, frame, path, true), Filter: web.DeploymentFilter{
		NameContains: query.Get("name_contains"), Status: query.Get("status"), DeploymentType: query.Get("deployment_type"),
		Statuses: form.Texts(api.DeploymentStatuses), DeploymentTypes: form.Texts(form.Extended(c.Dialect, api.DeploymentTypes, api.ExtendedDeploymentTypes)),
	}}
	p, page := paged(c, path)
	rows, err := control(c).Deployments(c.WorkspaceID, store.DeploymentFilter{
		NameContains: api.NonEmpty(view.Filter.NameContains), Status: api.NonEmpty(view.Filter.Status), DeploymentType: api.NonEmpty(view.Filter.DeploymentType),
	}, page)
	rows, view.Paging = window(p, rows)
	view.Deployments = form.Collect(rows, summaryOf)
	return view, err
}

func summaryOf(row store.Deployment) web.DeploymentSummary {
	return web.DeploymentSummary{
		ID: row.ID, Name: row.Name, DisplayName: api.OrEmpty(row.DisplayName), Source: row.Source, DeploymentType: api.OrEmpty(row.DeploymentType),
		Status: row.Status, LatestRevisionStatus: row.Latest.Status, CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt,
	}
}

// deployment reads the deployment named by the path.
func (s *Service) deployment(c *rest.Call) (store.Deployment, error) {
	return rest.Named(c, "deployment_id", s.control.Deployment)
}

func (s *Service) showDeployment(c *rest.Call, frame web.Frame) (rendering, error) {
	row, err := s.deployment(c)
	if err != nil {
		return nil, err
	}
	d, err := s.control.Response(c, row)
	if err != nil {
		return nil, err
	}
	view := web.DeploymentView{
		Frame: frame, Deployment: summaryOf(row),
		EnvironmentNames:     form.Collect(d.Secrets, func(s api.Secret) string { return s.Name }),
		SecretReferenceNames: form.Collect(d.SecretReferences, func(r api.SecretReference) string { return r.Name }),
	}
	// Live updates cover only the first page of revisions.
	followed := moving(row) && c.Request.URL.Query().Get("cursor") == ""
	view.Live = live(c, frame, frame.Paths().Deployment(row.ID), followed)
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
	return func(pages *web.Pages, w io.Writer) error { return pages.Deployment(w, view) }, nil
}

// settingsOf returns the settings of a deployment under the API's names, without its environment.
func settingsOf(d api.Deployment) ([]web.Setting, error) {
	config, err := json.Marshal(map[string]any{
		"source_config": d.SourceConfig, "source_revision_config": d.SourceRevisionConfig, "shareable": d.Shareable, "image_version": d.ImageVersion,
	})
	if err != nil {
		return nil, err
	}
	value, err := form.Parse(config)
	if err != nil {
		return nil, err
	}
	return flattened(nil, "", value), nil
}

// flattened adds the settings below a name.
func flattened(settings []web.Setting, name string, value any) []web.Setting {
	switch v := value.(type) {
	case nil:
		return settings
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			deeper := key
			if name != "" {
				deeper = name + "." + key
			}
			settings = flattened(settings, deeper, v[key])
		}
		return settings
	case []any:
		for i, element := range v {
			settings = flattened(settings, fmt.Sprintf("%s[%d]", name, i), element)
		}
		return settings
	default:
		return append(settings, web.Setting{Name: name, Value: fmt.Sprint(v)})
	}
}

func (s *Service) timeline(c *rest.Call, frame web.Frame, row store.Deployment) (web.TimelineView, error) {
	view := web.TimelineView{DeploymentStatus: row.Status, DeploymentID: row.ID}
	if project, err := projects(c).ProjectNamed(c.WorkspaceID, row.Name); err == nil {
		view.ProjectID = project.ID
	}
	p, page := paged(c, frame.Paths().Deployment(row.ID))
	rows, err := control(c).Revisions(c.WorkspaceID, row.ID, nil, nil, page)
	if err != nil {
		return view, err
	}
	all := rows // Including the predecessor of the last one shown.
	rows, view.Paging = window(p, rows)
	for i, revision := range rows {
		reached, err := s.control.History(revision, c.Now)
		if err != nil {
			return view, err
		}
		shown := s.revisionOf(revision, reached, row.ActiveRevisionID, c.Now)
		if i+1 < len(all) {
			shown.Changes = changesOf(revision, all[i+1])
		}
		if shown.Logs, err = s.logs(revision, c.Now, "", logTail); err != nil {
			return view, err
		}
		view.Revisions = append(view.Revisions, shown)
	}
	return view, nil
}

func (s *Service) revisionOf(row store.Revision, reached []Reached, active *string, now time.Time) web.Revision {
	end := now
	if row.FinishedAt != nil {
		end = *row.FinishedAt
	}
	// In whole seconds, so that an open page updates once a second and not on every check.
	elapsed := end.Sub(row.CreatedAt).Truncate(time.Second)
	r := web.Revision{
		ID: row.ID, Status: row.Status, StatusMessage: api.OrEmpty(row.StatusMessage), Reference: s.control.Artifact(row),
		Active: active != nil && *active == row.ID, CreatedAt: row.CreatedAt, Elapsed: &elapsed,
	}
	for i, is := range reached {
		state := web.RevisionState{Status: string(is.Status), StartAt: is.Since}
		if !is.Finished {
			until := end
			if i+1 < len(reached) {
				until = reached[i+1].Since
			}
			took := until.Sub(is.Since)
			if i+1 == len(reached) {
				state.Current, took = true, took.Truncate(time.Second)
			}
			state.Duration = &took
		}
		r.States = append(r.States, state)
	}
	return r
}

func (s *Service) showListeners(c *rest.Call, frame web.Frame) (rendering, error) {
	view := web.ListenersView{Frame: frame}
	p, page := paged(c, frame.Paths().Listeners())
	rows, err := control(c).Listeners(c.WorkspaceID, page)
	if err != nil {
		return nil, err
	}
	rows, view.Paging = window(p, rows)
	view.HCL = hclOfListeners(rows)
	for _, row := range rows {
		users, err := control(c).DeploymentsOn(c.WorkspaceID, row.ID)
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
	return func(pages *web.Pages, w io.Writer) error { return pages.Listeners(w, view) }, nil
}

func (s *Service) showIntegrations(c *rest.Call, frame web.Frame) (rendering, error) {
	view := web.IntegrationsView{Frame: frame}
	rows, err := control(c).Integrations(c.WorkspaceID, false)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		repositories, err := control(c).Repositories(c.WorkspaceID, row.ID)
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
	return func(pages *web.Pages, w io.Writer) error { return pages.Integrations(w, view) }, nil
}
