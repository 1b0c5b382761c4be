package run

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// draft derives what a request stores, and stores nothing itself.
type draft struct {
	service     *Service
	ctx         context.Context
	workspaceID string
	now         time.Time
	// read runs work in a transaction: a short one, or that which stores the draft.
	read func(work func(*store.Tx) error) error
	// runs are those that were read with their bodies, or have been derived. Those that don't exist have no ID.
	runs    map[string]store.StoredRun
	derived map[string]*derived
	// waiting are derived runs that have waited for a parent, by the parent, and alone are those for which no stored run waited.
	waiting map[string][]string
	alone   map[string]bool
	// first are the first runs with both labels of pairs; empty for none.
	pairs    []store.Labels
	first    []string
	projects map[string]bool // Those that exist, by ID.
	prices   *usage.PriceMap // Nil if they weren't ready, until they are needed.
	moves    []move

	*step
}

// step is what one transaction stores of a draft, and what it must find for that.
type step struct {
	draft *draft
	// before and rows are runs from which it follows, with and without their bodies; checks compare what else was read.
	before map[string]store.StoredRun
	rows   map[string]store.Run
	checks []func(*store.Tx) (same bool, err error)
	priced bool // The prices matter.

	order []string
	saved map[string]*derived // By ID, in that order.
	rest  []func(*store.Tx) error
	// placed is what waiting runs that were placed count, and later says that others will be placed in other transactions.
	placed int
	later  bool
}

// move is a root before and after it has become part of another trace.
type move struct{ from, to store.Run }

func (s *Service) newDraft(ctx context.Context, workspaceID string, now time.Time, read func(func(*store.Tx) error) error) *draft {
	return &draft{
		service: s, ctx: ctx, workspaceID: workspaceID, now: now, read: read, runs: map[string]store.StoredRun{}, derived: map[string]*derived{},
		waiting: map[string][]string{}, alone: map[string]bool{}, projects: map[string]bool{},
	}
}

// load reads together what parts will need. It may assume that runs are new.
func (d *draft) load(parts []part, assume bool) error {
	var ids []string
	for _, p := range parts {
		if ids = append(ids, p.changed...); !assume {
			ids = append(ids, p.created...)
			continue
		}
		for _, id := range p.created {
			d.runs[id], d.alone[id] = store.StoredRun{}, true
		}
	}
	for _, p := range parts {
		d.pairs = append(d.pairs, p.labels...)
	}
	if len(ids)+len(d.pairs) == 0 {
		return nil
	}
	return d.read(func(tx *store.Tx) error {
		stored, err := tx.StoredRuns(d.workspaceID, ids)
		if err != nil {
			return err
		}
		var parents []string
		for _, id := range ids {
			if d.runs[id] = stored[id]; stored[id].DottedOrder == nil {
				parents = append(parents, id)
			}
		}
		awaited, err := tx.Awaited(d.workspaceID, parents)
		if err != nil {
			return err
		}
		for _, id := range parents {
			d.alone[id] = !awaited[id]
		}
		d.first, err = tx.FirstLabelled(d.workspaceID, d.pairs)
		return err
	})
}

// add derives another part.
func (d *draft) add(p part) error {
	d.step = &step{draft: d, before: map[string]store.StoredRun{}, rows: map[string]store.Run{}, saved: map[string]*derived{}}
	return p.work(d)
}

// read reads in a transaction.
func read[T any](d *draft, from func(*store.Tx) (T, error)) (value T, err error) {
	err = d.read(func(tx *store.Tx) (err error) {
		value, err = from(tx)
		return err
	})
	return value, err
}

// readChecked is read for what the transaction that stores must find again.
func readChecked[T any](d *draft, from func(*store.Tx) (T, error), same func(before, now T) bool) (T, error) {
	before, err := read(d, from)
	d.checks = append(d.checks, func(tx *store.Tx) (bool, error) {
		now, err := from(tx)
		return same(before, now), err
	})
	return before, err
}

// run returns a run with its body; it has no ID if it doesn't exist.
func (d *draft) run(id string) (store.StoredRun, error) {
	r, known := d.runs[id]
	if !known {
		var err error
		if r, err = read(d, func(tx *store.Tx) (r store.StoredRun, err error) {
			r.Run, r.Body, err = tx.StoredRun(d.workspaceID, id)
			store.Missing(&err)
			return r, err
		}); err != nil {
			return r, err
		}
	}
	if _, seen := d.before[id]; !seen && d.saved[id] == nil {
		d.before[id] = r
	}
	d.follow(&r.Run)
	d.runs[id] = r
	return r, nil
}

// row returns a run without its body.
func (d *draft) row(id string) (store.Run, error) {
	if _, known := d.runs[id]; known {
		r, err := d.run(id)
		return r.Run, err
	}
	row, known := d.rows[id]
	if !known {
		var err error
		if row, err = read(d, func(tx *store.Tx) (store.Run, error) {
			row, err := tx.Run(d.workspaceID, id)
			store.Missing(&err)
			return row, err
		}); err != nil {
			return row, err
		}
		d.rows[id] = row
	}
	d.follow(&row)
	return row, nil
}

// follow gives a run the place to which its trace has moved.
func (d *draft) follow(row *store.Run) {
	for _, m := range d.moves {
		if row.TraceID != m.from.TraceID || row.DottedOrder == nil {
			continue
		}
		if below, is := strings.CutPrefix(*row.DottedOrder, *m.from.DottedOrder+"."); is {
			row.TraceID, row.DottedOrder = m.to.TraceID, new(*m.to.DottedOrder+"."+below)
		}
	}
}

// moveTrace moves what is below a root that has become part of another trace.
func (d *draft) moveTrace(from, to store.Run) {
	if from.DottedOrder == nil || to.DottedOrder == nil {
		return
	}
	s := d.step
	d.moves = append(d.moves, move{from, to})
	d.rest = append(d.rest, func(tx *store.Tx) error {
		later, err := tx.MoveTrace(from, to)
		s.later = s.later || later
		return err
	})
}

// keep adds what was derived of a run. It fails when the client leaves.
func (d *draft) keep(r *derived) error {
	id := r.row.ID
	if d.saved[id] == nil {
		d.order = append(d.order, id)
	}
	d.saved[id], d.derived[id], d.runs[id] = r, r, store.StoredRun{Run: r.row, Body: r.body}
	if parent := r.row.ParentRunID; parent != nil && r.row.DottedOrder == nil {
		d.waiting[*parent] = append(d.waiting[*parent], id)
	}
	return d.ctx.Err()
}

// orphans lists runs that wait for a parent, and reports whether there may be more than there is room for.
func (d *draft) orphans(parentID string) (ids []string, more bool, err error) {
	limit, known := d.room()+1, map[string]bool{}
	if !d.alone[parentID] {
		err = d.read(func(tx *store.Tx) error {
			rows, err := tx.Orphans(d.workspaceID, parentID, 0, limit)
			more = len(rows) == limit
			for _, row := range rows {
				known[row.ID] = true
				if d.derived[row.ID] == nil {
					ids = append(ids, row.ID)
				}
			}
			return err
		})
	}
	for _, id := range d.waiting[parentID] {
		known[id] = true
		if row := d.runs[id].Run; row.DottedOrder == nil && api.OrEmpty(row.ParentRunID) == parentID {
			ids = append(ids, id)
		}
	}
	if !more { // Otherwise, those that come meanwhile are among the runs that are placed later.
		d.checks = append(d.checks, func(tx *store.Tx) (same bool, err error) {
			rows, err := tx.Orphans(d.workspaceID, parentID, 0, len(known)+1)
			return !slices.ContainsFunc(rows, func(row store.Run) bool { return !known[row.ID] }), err
		})
	}
	return ids, more, err
}

// withLabels lists some of the runs that have two labels.
func (d *draft) withLabels(labels store.Labels, limit int) ([]store.Run, error) {
	if at := slices.Index(d.pairs, labels); at >= 0 && d.first[at] == "" {
		return nil, nil
	}
	rows, err := readChecked(d, func(tx *store.Tx) ([]store.Run, error) {
		return tx.Labelled(d.workspaceID, labels.First, labels.Other, 0, limit)
	}, func(before, now []store.Run) bool {
		return slices.EqualFunc(before, now, func(a, b store.Run) bool { return a.ID == b.ID })
	})
	if err != nil {
		return nil, err
	}
	found := slices.Clone(rows)
	for i := range found {
		if r := d.derived[found[i].ID]; r != nil {
			seq := found[i].Seq
			found[i] = r.row
			found[i].Seq = seq
		}
		d.follow(&found[i])
	}
	return found, nil
}

// depth returns the largest number of runs from a root down to a run of its trace.
func (d *draft) depth(rootID string) (int, error) {
	return readChecked(d, func(tx *store.Tx) (int, error) { return tx.TraceDepth(d.workspaceID, rootID) }, func(before, now int) bool { return before == now })
}

// pricesNow returns the prices of the workspace.
func (d *draft) pricesNow() (*usage.PriceMap, error) {
	d.priced = true
	if d.prices != nil {
		return d.prices, nil
	}
	var err error
	d.prices, err = read(d, func(tx *store.Tx) (*usage.PriceMap, error) { return d.service.Prices.Of(tx, d.workspaceID) })
	return d.prices, err
}

// storeUnchanged stores the step, or returns errStale if something from which it follows has changed.
func (s *step) storeUnchanged(tx *store.Tx) error {
	stored, err := tx.StoredRuns(s.draft.workspaceID, slices.Collect(maps.Keys(s.before)))
	if err != nil {
		return err
	}
	for id, before := range s.before {
		if now := stored[id]; !samePlace(before.Run, now.Run) || !before.ReceivedAt.Equal(now.ReceivedAt) || costsOf(before.Run) != costsOf(now.Run) ||
			!bytes.Equal(before.Body.Post, now.Body.Post) || !bytes.Equal(before.Body.Patch, now.Body.Patch) {
			return errStale
		}
	}
	for id, before := range s.rows {
		now, err := tx.Run(s.draft.workspaceID, id)
		if !store.Missing(&err) && err != nil {
			return err
		}
		if !samePlace(before, now) {
			return errStale
		}
	}
	if s.priced && s.draft.service.Prices.Ready(tx.Priced(), s.draft.workspaceID) != s.draft.prices {
		return errStale
	}
	first, err := tx.FirstLabelled(s.draft.workspaceID, s.draft.pairs)
	if err != nil || !slices.Equal(first, s.draft.first) {
		return cmp.Or(err, errStale)
	}
	for _, check := range s.checks {
		if same, err := check(tx); err != nil || !same {
			return cmp.Or(err, errStale)
		}
	}
	return s.store(tx, stored)
}

// samePlace reports whether two versions of a run are equal in what the places of others follow from.
func samePlace(a, b store.Run) bool {
	return a.ID == b.ID && a.TraceID == b.TraceID && api.OrEmpty(a.DottedOrder) == api.OrEmpty(b.DottedOrder) &&
		api.OrEmpty(a.ParentRunID) == api.OrEmpty(b.ParentRunID)
}

// costs are the stored costs of a run.
type costs struct{ figures, prompt, completion, total, price string }

func costsOf(row store.Run) costs {
	return costs{row.Figures, api.OrEmpty(row.PromptCost), api.OrEmpty(row.CompletionCost), api.OrEmpty(row.TotalCost), api.OrEmpty(row.PriceID)}
}

// store stores the step in place of what is stored.
func (s *step) store(tx *store.Tx, stored map[string]store.StoredRun) error {
	projects := map[projectOf]string{}
	for _, id := range s.order {
		r := s.saved[id]
		project, known := projects[r.project]
		if !known {
			var err error
			if project, err = s.draft.ensureProject(tx, id, r.project); err != nil {
				return err
			}
			projects[r.project] = project
		}
		row := r.row
		row.Seq, row.ProjectID = stored[id].Seq, project
		if err := tx.SaveRun(row, r.body, r.labels); err != nil {
			return err
		}
	}
	s.later = false // The transaction may be repeated.
	for _, rest := range s.rest {
		if err := rest(tx); err != nil {
			return err
		}
	}
	return nil
}
