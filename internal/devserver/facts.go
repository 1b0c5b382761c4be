package devserver

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/controlplane"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/toylogin"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/dataset"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/figure"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/otlp"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/run"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/session"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/share"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/listprice"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// controlFacts gives pages access to the control plane.
type controlFacts struct{ *controlplane.Service }

// History implements pages.ControlPlane.
func (f controlFacts) History(row store.Revision, now time.Time) ([]pages.Reached, error) {
	reached, err := f.Service.History(row, now)
	return form.Collect(reached, func(s controlplane.Stage) pages.Reached {
		return pages.Reached{Status: s.Status, Since: s.Since, Finished: s.Finished}
	}), err
}

// tracingFacts gives pages access to the tracing service: it implements pages.Tracing, where its methods are explained.
type tracingFacts struct{ *tracing.Service }

func (tracingFacts) Project(c *rest.Call, id string) (store.Project, error) {
	return session.Read(c.Tx, c.WorkspaceID, id)
}

func (tracingFacts) Dataset(c *rest.Call, id string) (store.Dataset, error) {
	return dataset.Read(c.Tx, c.WorkspaceID, id)
}

func (tracingFacts) Run(c *rest.Call, id string) (store.Run, error) {
	return run.Read(c.Tx, c.WorkspaceID, id)
}

func (tracingFacts) SharedIn(c *rest.Call, token string) (workspaceID string, err error) {
	found, err := share.Find(c.Tx, token)
	return found.WorkspaceID, err
}

func (tracingFacts) Shared(c *rest.Call, token string) (store.Run, error) {
	return share.Run(c.Tx, token)
}

func (tracingFacts) Said(c *rest.Call, id string) (map[string]json.RawMessage, error) {
	return run.Said(c.Tx, c.WorkspaceID, id)
}

func (tracingFacts) RunPage(c *rest.Call, f store.RunFilter, ascending bool, cursor string, limit int) ([]store.Run, string, error) {
	return run.Page(c.Tx, f, ascending, cursor, limit)
}

func (tracingFacts) SortedRuns(c *rest.Call, f store.RunFilter, by string, ascending bool, page store.Page) ([]store.Run, error) {
	return run.Sorted(c.Tx, f, by, ascending, page)
}

func (tracingFacts) Named(c *rest.Call, f store.RunFilter, name string, limit int) ([]store.Run, error) {
	return run.NewestNamed(c.Tx, f, name, limit)
}

func (tracingFacts) Sorts() []string { return form.Texts(store.RunSorts) }

func (tracingFacts) RunTypes() []string { return run.Types }

// UnreadSpans implements pages.Tracing.
func (tracingFacts) UnreadSpans(c *rest.Call, f store.RunFilter) (int64, string, error) {
	spans, err := c.Tx.CountRunsWith(f, otlp.UnreadKey)
	return spans, fmt.Sprintf("eq(metadata_key, %q)", otlp.UnreadKey), err
}

func (tracingFacts) Narrow(f *store.RunFilter, text string) error { return run.Narrow(f, text) }

func (tracingFacts) NarrowTraces(f *store.RunFilter, text string) error {
	return run.NarrowTraces(f, text)
}

func (tracingFacts) Facets(c *rest.Call, f store.RunFilter, newest int) ([]figure.Facet, error) {
	return figure.Facets(c.Tx, f, newest)
}

func (t tracingFacts) Space(c *rest.Call) (taken, limit int64, err error) {
	return t.Service.Space(c.Tx, c.WorkspaceID)
}

func (t tracingFacts) DefaultPrices() *listprice.Book {
	if t.Prices.Defaults == nil {
		return nil
	}
	return t.Prices.Defaults()
}

func (tracingFacts) Summarize(c *rest.Call, rows []store.Run) (map[uuid.UUID]usage.Totals, map[string][]string, error) {
	return figure.Summarize(c.Tx, c.WorkspaceID, rows)
}

func (tracingFacts) Trace(c *rest.Call, id string) (*figure.Trace, error) {
	return figure.ReadTrace(c.Tx, c.WorkspaceID, id)
}

func (tracingFacts) TraceFigures(c *rest.Call, id string) (*figure.Trace, error) {
	return figure.ReadFigures(c.Tx, c.WorkspaceID, id)
}

func (tracingFacts) SumOfTraces(c *rest.Call, runIDs []string) (usage.Totals, error) {
	return figure.SumOfTraces(c.Tx, c.WorkspaceID, runIDs)
}

func (t tracingFacts) Summaries(
	c *rest.Call, projectID string, from, to time.Time, step time.Duration,
) (all figure.Summary, steps []figure.Summary, _ error) {
	return t.Charts.Summaries(c.Tx, c.WorkspaceID, projectID, from, to, step)
}

func (t tracingFacts) GroupSummaries(
	c *rest.Call, projectID, by string, from, to time.Time, step time.Duration, most int,
) ([]figure.GroupSummary, error) {
	return t.Charts.GroupSummaries(c.Tx, c.WorkspaceID, projectID, by, from, to, step, most)
}

// toyGrants keeps the grants of the toy login in data that several servers share. It stores no key, only its digest.
type toyGrants struct{ store.Store }

// Keep implements toylogin.Grants.
func (g toyGrants) Keep(ctx context.Context, kind toylogin.Kind, key, grant string) error {
	digest := sha256.Sum256([]byte(key))
	return g.Do(ctx, func(tx *store.Tx) error { return tx.KeepToyGrant(string(kind), digest[:], grant, toylogin.MostGrants) })
}

// Take implements toylogin.Grants.
func (g toyGrants) Take(ctx context.Context, kind toylogin.Kind, key string) (grant string, known bool, err error) {
	digest := sha256.Sum256([]byte(key))
	err = g.Do(ctx, func(tx *store.Tx) error {
		grant, err = tx.TakeToyGrant(string(kind), digest[:])
		known = err == nil
		if store.Missing(&err) {
			return nil
		}
		return err
	})
	return grant, known, err
}
