package devserver

import (
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/controlplane"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing"
)

// controlFacts are what pages learn from the control plane.
type controlFacts struct{ *controlplane.ControlPlane }

// History implements pagesControlPlane.
func (f controlFacts) History(row store.Revision, now time.Time) ([]pages.PagesStage, error) {
	reached, err := f.ControlPlane.History(row, now)
	return rest.Collect(reached, func(s controlplane.Stage) pages.PagesStage { return pages.PagesStage(s) }), err
}

// tracingFacts are what pages learn from the tracing service.
type tracingFacts struct{ *tracing.Tracing }

// Figures implements pagesTracing.
func (f tracingFacts) Figures(
	c *rest.Call, projectID string, from, to time.Time, step time.Duration,
) (all pages.PagesFigures, steps []pages.PagesFigures, _ error) {
	sum, each, err := f.Tracing.Figures(c, projectID, from, to, step)
	return pages.PagesFigures(sum), rest.Collect(each, func(s tracing.SpanFigures) pages.PagesFigures { return pages.PagesFigures(s) }), err
}
