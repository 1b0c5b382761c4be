package devserver

import (
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/controlplane"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing"
)

// controlFacts gives pages access to the control plane.
type controlFacts struct{ *controlplane.Service }

// History implements pagesControlPlane.
func (f controlFacts) History(row store.Revision, now time.Time) ([]pages.Stage, error) {
	reached, err := f.Service.History(row, now)
	return form.Collect(reached, func(s controlplane.Stage) pages.Stage { return pages.Stage(s) }), err
}

// tracingFacts gives pages access to the tracing service.
type tracingFacts struct{ *tracing.Service }

// Facets implements pages.Tracing.
func (f tracingFacts) Facets(c *rest.Call, filter store.RunFilter, newest int) ([]pages.Facet, error) {
	all, err := f.Service.Facets(c, filter, newest)
	facets := make([]pages.Facet, len(all))
	for i, one := range all {
		facets[i] = pages.Facet(one)
	}
	return facets, err
}
