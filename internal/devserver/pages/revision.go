package pages

import (
	"cmp"
	"errors"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/controlplane"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages/web"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/figure"
)

// revision reads the revision named by the path, with its deployment.
func (s *Service) revision(c *rest.Call) (row store.Deployment, revision store.Revision, err error) {
	if row, err = rest.Named(c, "deployment_id", controlplane.ReadDeployment); err != nil {
		return row, revision, err
	}
	p := c.Params()
	id := p.PathID("revision_id")
	if err := p.Err(); err != nil {
		return row, revision, err
	}
	if revision, err = c.Tx.Revision(c.WorkspaceID, row.ID, id); errors.Is(err, store.ErrNotFound) {
		err = rest.PathNotServed()
	}
	return row, revision, err
}

func (s *Service) timeline(c *rest.Call, frame web.Frame, row store.Deployment) (web.TimelineView, error) {
	view := web.TimelineView{Frame: frame, DeploymentStatus: row.Status, DeploymentID: row.ID}
	if project, err := c.Tx.ProjectNamed(c.WorkspaceID, row.Name); err == nil {
		view.ProjectID = project.ID
	}
	filter := revisionFilter(c)
	view.Filtered = filter.Set()
	f := store.RevisionFilter{Contains: api.NonEmpty(filter.Contains)}
	f.Statuses, f.Reconciled = rolloutsThat(filter.Status)
	p, page := paged(c, frame.Paths().Deployment(row.ID))
	rows, err := c.Tx.Revisions(c.WorkspaceID, row.ID, f, page)
	if err != nil {
		return view, err
	}
	served, err := s.served(c, row, view.ProjectID)
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
		shown := web.RevisionRow{Revision: s.revisionOf(revision, reached, row.ActiveRevisionID, c.Now)}
		if i+1 < len(all) && !view.Filtered { // Else the next one isn't the predecessor.
			shown.Changes = compared(revisionSettings(all[i+1]), revisionSettings(revision)).Differing()
		}
		if shown.Logs, err = s.logs(revision, c.Now, "", logTail); err != nil {
			return view, err
		}
		shown.Cause = causeOf(shown.Revision)
		if until, is := served[revision.ID]; is {
			traces := store.RunFilter{WorkspaceID: c.WorkspaceID, ProjectIDs: []string{view.ProjectID}, Root: new(true), From: revision.DeployedAt, To: &until}
			figures, err := figure.InOne(c.Tx, traces, false)
			if err != nil {
				return view, err
			}
			shown.Served = new(figuresView(figures.Summary()))
		}
		view.Revisions = append(view.Revisions, shown)
	}
	return view, nil
}

// served returns until when each revision of a deployment with a project has served, by ID.
func (s *Service) served(c *rest.Call, row store.Deployment, projectID string) (map[string]time.Time, error) {
	if projectID == "" {
		return nil, nil
	}
	all, err := c.Tx.Revisions(c.WorkspaceID, row.ID, store.RevisionFilter{}, store.Page{Limit: -1})
	until, next := map[string]time.Time{}, c.Now
	for _, revision := range all { // Newest first.
		if at := revision.DeployedAt; at != nil && at.Before(next) {
			until[revision.ID], next = next, *at
		}
	}
	return until, err
}

func (s *Service) revisionOf(row store.Revision, reached []controlplane.Stage, active *string, now time.Time) web.Revision {
	end := *cmp.Or(row.FinishedAt, &now)
	// In whole seconds, so that an open page updates once a second and not on every check.
	elapsed := end.Sub(row.CreatedAt).Truncate(time.Second)
	r := web.Revision{
		ID: row.ID, Status: row.Status, Reference: controlplane.Artifact(row),
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

// revisionFilter reads the form above the revisions.
func revisionFilter(c *rest.Call) web.RevisionFilter {
	query := c.Request.URL.Query()
	return web.RevisionFilter{Status: query.Get("status"), Contains: query.Get("contains"), Statuses: rolloutChoices}
}
