package devserver

import (
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// controlFacts are what pages learn from the control plane.
type controlFacts struct{ *ControlPlane }

// History implements pagesControlPlane.
func (f controlFacts) History(row store.Revision, now time.Time) ([]PagesStage, error) {
	reached, err := f.ControlPlane.History(row, now)
	return Collect(reached, func(s Stage) PagesStage { return PagesStage(s) }), err
}

// tracingFacts are what pages learn from the tracing service.
type tracingFacts struct{ *Tracing }

// Figures implements pagesTracing.
func (f tracingFacts) Figures(
	c *Call, projectID string, from, to time.Time, step time.Duration,
) (all PagesFigures, steps []PagesFigures, _ error) {
	sum, each, err := f.Tracing.Figures(c, projectID, from, to, step)
	return PagesFigures(sum), Collect(each, func(s SpanFigures) PagesFigures { return PagesFigures(s) }), err
}
