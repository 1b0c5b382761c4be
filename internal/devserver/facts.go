package devserver

import (
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// controlFacts are what pages learn from the control plane.
type controlFacts struct{ *controlPlane }

// History implements pagesControlPlane.
func (f controlFacts) History(row store.Revision, now time.Time) ([]pagesStage, error) {
	reached, err := f.controlPlane.History(row, now)
	return collect(reached, func(s stage) pagesStage { return pagesStage(s) }), err
}

// tracingFacts are what pages learn from the tracing service.
type tracingFacts struct{ *tracing }

// Figures implements pagesTracing.
func (f tracingFacts) Figures(
	c *call, projectID string, from, to time.Time, step time.Duration,
) (all pagesFigures, steps []pagesFigures, _ error) {
	sum, each, err := f.tracing.Figures(c, projectID, from, to, step)
	return pagesFigures(sum), collect(each, func(s spanFigures) pagesFigures { return pagesFigures(s) }), err
}
