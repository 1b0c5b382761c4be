package pages

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/controlplane"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages/web"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

const (
	// comparedRevisions is how many revisions can be chosen for a comparison: the newest ones. Others are named by the URL.
	comparedRevisions = 300
	// beforeAndAfter is the longest time before and after a rollout whose traces are compared.
	beforeAndAfter = 24 * time.Hour
)

func (s *Service) showRollout(c *rest.Call, frame web.Frame) (web.View, error) {
	row, revision, err := s.revision(c)
	if err != nil {
		return nil, err
	}
	view := web.RolloutView{Frame: frame, DeploymentID: row.ID, DeploymentName: row.Name, Filter: answerFilter(c)}
	view.Live = revision.FinishedAt == nil
	if view.Rollout, err = s.rollout(c, frame, row, revision); err != nil {
		return nil, err
	}
	if err := s.addComparison(c, row, revision, &view); err != nil {
		return nil, err
	}
	if project, err := c.Tx.ProjectNamed(c.WorkspaceID, row.Name); err == nil {
		if view.BeforeAfter, err = s.beforeAfter(c, project.ID, revision); err != nil {
			return nil, err
		}
	}
	return view, nil
}

func (s *Service) rollout(c *rest.Call, frame web.Frame, row store.Deployment, revision store.Revision) (web.RolloutPart, error) {
	part := web.RolloutPart{Frame: frame, DeploymentID: row.ID, DevAPI: s.devAPI, Filtered: answerFilter(c).Set()}
	reached, err := s.control.History(revision, c.Now)
	if err != nil {
		return part, err
	}
	part.Revision = s.revisionOf(revision, reached, row.ActiveRevisionID, c.Now)
	if part.Revision.Logs, err = s.logs(revision, c.Now, "", logPage); err != nil {
		return part, err
	}
	part.Revision.Cause = causeOf(part.Revision)
	if s.devAPI {
		part.Requests, err = s.requestsOf(c, row, revision)
	}
	return part, err
}

// causeOf returns what explains a failure: its reason, which its log has. Without a reason, the log has the status instead.
func causeOf(r web.Revision) (cause web.Cause) {
	for i, log := range r.Logs {
		for _, line := range log.Lines {
			if line.Level == string(api.LogError) && line.Message != r.Status {
				return web.Cause{Line: web.Explaining(line.Message), Source: log.Label, Log: i + 1, Time: line.Time}
			}
		}
	}
	return cause
}

// addComparison adds the settings compared with the revision named by the query; by default, with the one before.
func (s *Service) addComparison(c *rest.Call, row store.Deployment, revision store.Revision, view *web.RolloutView) error {
	all, err := c.Tx.Revisions(c.WorkspaceID, row.ID, store.RevisionFilter{}, store.Page{Limit: comparedRevisions})
	if err != nil {
		return err
	}
	wanted := c.Request.URL.Query().Get("against")
	for i, other := range all {
		if other.ID == revision.ID {
			if wanted == "" && i+1 < len(all) {
				wanted = all[i+1].ID
			}
			continue
		}
		view.Others = append(view.Others, web.RevisionChoice{
			ID: other.ID, Label: other.CreatedAt.UTC().Format("2006-01-02 15:04:05 UTC") + ", " + other.Status + ", " + controlplane.Artifact(other),
		})
	}
	if wanted == "" || wanted == revision.ID {
		return nil
	}
	against, err := c.Tx.Revision(c.WorkspaceID, row.ID, wanted)
	if errors.Is(err, store.ErrNotFound) {
		return rest.PathNotServed()
	}
	if err != nil {
		return err
	}
	view.Against = against.ID
	if !slices.ContainsFunc(view.Others, func(o web.RevisionChoice) bool { return o.ID == against.ID }) {
		view.Others = append(view.Others, web.RevisionChoice{ID: against.ID, Label: against.Status + ", " + controlplane.Artifact(against)})
	}
	view.Settings = compared(revisionSettings(against), revisionSettings(revision))
	return nil
}

// beforeAfter returns the figures of a project before and after a revision was deployed, or has failed, for the same time.
func (s *Service) beforeAfter(c *rest.Call, projectID string, revision store.Revision) (*web.BeforeAfter, error) {
	at := *cmp.Or(revision.DeployedAt, revision.FinishedAt, &revision.CreatedAt)
	span := min(c.Now.Sub(at), beforeAndAfter)
	if span <= 0 {
		return nil, nil
	}
	after := projectRange{from: at, to: at.Add(span), step: span}
	f := store.RunFilter{WorkspaceID: c.WorkspaceID, ProjectIDs: []string{projectID}, Root: new(true)}
	traces, err := measure(c, f, store.RunGroup{}, after)
	if err != nil {
		return nil, err
	}
	b := &web.BeforeAfter{ProjectID: projectID, At: at, Span: span}
	b.Before, b.After = figuresView(traces[0].before.Summary()), figuresView(traces[0].now)
	return b, nil
}

// requestsOf returns the requests that made a revision, and then those that concerned its deployment during the rollout.
func (s *Service) requestsOf(c *rest.Call, row store.Deployment, revision store.Revision) ([]web.Request, error) {
	all, err := s.rest.Requests.Of(c.Tx, c.WorkspaceID)
	if err != nil {
		return nil, err
	}
	older, err := c.Tx.Revisions(c.WorkspaceID, row.ID, store.RevisionFilter{}, store.Page{Limit: -1})
	if err != nil {
		return nil, err
	}
	first := len(older) > 0 && older[len(older)-1].ID == revision.ID
	from, to := revision.CreatedAt.Add(-time.Second), *cmp.Or(revision.FinishedAt, &c.Now)
	f := answerFilter(c)
	var made, meanwhile []rest.Request
	for _, r := range slices.Backward(all) {
		switch {
		case r.Tracing || !wanted(r, f):
		case makes(r, row.ID, revision.ID, first):
			made = append(made, r)
		case len(meanwhile) < rowsPerPage && strings.Contains(r.Path, row.ID) && !r.Time.Before(from) && !r.Time.After(to):
			meanwhile = append(meanwhile, r)
		}
	}
	requests := form.Collect(append(made, meanwhile...), requestOf)
	for i := range made {
		requests[i].Made = true
	}
	return requests, nil
}

// makes reports whether a request made a revision: its answer names it as the newest one or, if the deployment wasn't ready for its first
// revision, the deployment.
func makes(r rest.Request, deploymentID, revisionID string, first bool) bool {
	if r.Method == http.MethodGet || r.Answer == nil {
		return false
	}
	var answer struct {
		ID               string  `json:"id"`
		LatestRevisionID *string `json:"latest_revision_id"`
	}
	if json.Unmarshal(r.Answer, &answer) != nil {
		return false
	}
	switch {
	case answer.LatestRevisionID != nil && *answer.LatestRevisionID == revisionID:
		// A change that makes no revision names the newest one, too.
		return r.Method == http.MethodPost || strings.Contains(string(r.Body), "source_") || strings.Contains(string(r.Body), "secret")
	case answer.ID == revisionID:
		return true
	default:
		return first && answer.LatestRevisionID == nil && answer.ID == deploymentID && r.Method == http.MethodPost
	}
}

// redeploy rolls a revision out again, and leads to the page of the new one.
func (s *Service) redeploy(c *rest.Call, frame web.Frame) (back string, err error) {
	revisionID, err := s.control.Redeploy(c)
	return frame.Paths().Rollout(c.Request.PathValue("deployment_id"), revisionID), err
}
