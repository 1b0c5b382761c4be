package controlplane

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// Advance updates every row to the time now. It is called at the start of each transaction and replaces timers.
func (s *Service) Advance(tx *store.Tx, now time.Time) error {
	revisions, err := tx.RevisionsDue(now)
	if err != nil {
		return fmt.Errorf("advance revisions: %w", err)
	}
	for _, r := range revisions {
		if err := s.advanceRevision(tx, r, now); err != nil {
			return fmt.Errorf("advance revision %s: %w", r.ID, err)
		}
	}
	for { // The next stage may also be over.
		deployments, err := tx.DeploymentsDue(now)
		if err != nil {
			return fmt.Errorf("advance deployments: %w", err)
		}
		for _, d := range deployments {
			if err := advanceDeployment(tx, d, s.cfg.Dialect); err != nil {
				return fmt.Errorf("advance deployment %s: %w", d.ID, err)
			}
		}
		if len(deployments) == 0 {
			return nil
		}
	}
}

// Due reports whether Advance would change anything.
func (s *Service) Due(tx *store.Tx, now time.Time) (bool, error) {
	revisions, err := tx.RevisionsDue(now)
	if err != nil || len(revisions) > 0 {
		return true, err
	}
	deployments, err := tx.DeploymentsDue(now)
	return len(deployments) > 0, err
}

// advanceRevision gives a revision the status that it has at a time.
func (s *Service) advanceRevision(tx *store.Tx, r store.Revision, now time.Time) error {
	course, err := s.courseOf(r)
	if err != nil {
		return err
	}
	is := course.at(now)
	r.DueAt = course.endOf(now)
	// The clock may have been set back, and revisions of earlier versions were never CREATING.
	goesBack := is.Since.Before(r.UpdatedAt) || is.Status == api.RevisionCreating && is.Since.Equal(r.CreatedAt)
	if string(is.Status) == r.Status || goesBack && !is.Finished {
		return tx.UpdateRevision(r)
	}
	r.Status, r.UpdatedAt = string(is.Status), is.Since
	if is.Message != "" {
		r.StatusMessage = &is.Message
	}
	if is.Finished {
		r.FinishedAt, r.DueAt = &is.Since, nil
	}
	if is.Status == api.RevisionDeployed {
		r.DeployedAt = &is.Since
		if err := tx.TouchDeployment(r.DeploymentID, is.Since); err != nil {
			return err
		}
	}
	return tx.UpdateRevision(r)
}

// courseOf returns the rollout of a revision.
func (s *Service) courseOf(r store.Revision) (rollout, error) {
	course := rollout{
		steps:        stepsOf(api.Source(r.Source), s.cfg.Dialect),
		createdAt:    r.CreatedAt,
		length:       r.Rollout,
		supersededAt: r.SupersededAt,
	}
	if r.Fault != nil {
		if err := json.Unmarshal([]byte(*r.Fault), &course.fault); err != nil {
			return course, fmt.Errorf("decode the fault: %w", err)
		}
	}
	return course, nil
}

// History lists the states that a revision has reached; empty if it doesn't exist.
func (s *Service) History(r store.Revision, now time.Time) ([]Stage, error) {
	course, err := s.courseOf(r)
	if err != nil || r.ID == "" {
		return nil, err
	}
	if r.FinishedAt != nil && r.Status == string(api.RevisionInterrupted) { // The course doesn't include interruptions.
		interrupted := Stage{Status: api.RevisionInterrupted, Since: *r.FinishedAt, Finished: true}
		return append(course.history(*r.FinishedAt), interrupted), nil
	}
	if now.Before(r.UpdatedAt) { // The clock was set back, but the revision doesn't go back.
		now = r.UpdatedAt
	}
	return course.history(now), nil
}

func advanceDeployment(tx *store.Tx, d store.Deployment, dialect *api.Dialect) error {
	next, gone := successor(api.DeploymentStatus(d.Status), dialect)
	if gone {
		return tx.DeleteDeployment(d.WorkspaceID, d.ID)
	}
	due := d.DueAt.Add(d.DueAt.Sub(d.UpdatedAt)) // The final deletion takes as long as what came before it.
	if d.DueAt.After(d.UpdatedAt) {
		d.UpdatedAt = *d.DueAt
	}
	d.Status, d.DueAt = string(next), nil
	if next == api.DeploymentAwaitingFinalDelete {
		d.DueAt = &due
	}
	return tx.UpdateDeployment(d)
}
