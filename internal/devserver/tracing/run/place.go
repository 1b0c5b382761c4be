package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/ingest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/otlp"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// placedAtOnce is how many waiting runs a transaction places, because other writers wait for it. A long one counts as several, one for each
// placedBytes.
const (
	placedAtOnce = 50
	placedBytes  = 64 << 10
)

// room is how many waiting runs may still be placed.
func (d *draft) room() int { return max(0, placedAtOnce-d.placed) }

// canHaveChildren reports whether a run has a place, and is not at the maximum depth of a trace. Children of a run at that
// depth continue to wait.
func canHaveChildren(row store.Run) bool {
	return row.DottedOrder != nil && strings.Count(*row.DottedOrder, ".")+1 < limits.TraceDepth
}

// placeWaiting places the runs that arrived before their parent, and then those below them, as many as the transaction has room for.
func (d *draft) placeWaiting(parentID string) error {
	for above := []string{parentID}; len(above) > 0; above = above[1:] {
		orphans, more, err := d.orphans(above[0])
		if err != nil {
			return err
		}
		for _, id := range orphans {
			if d.room() == 0 {
				more = true
				break
			}
			row, err := d.placeOrphan(id)
			if err != nil {
				return err
			}
			if canHaveChildren(row) {
				above = append(above, id)
			}
		}
		if more {
			d.placeLater(store.DeferredPlacement{RunID: above[0], Kind: store.OfParent})
		}
	}
	return nil
}

// placeOrphan places a run whose parent has a place now.
func (d *draft) placeOrphan(id string) (store.Run, error) {
	known, err := d.known(id)
	if err != nil {
		return store.Run{}, err
	}
	d.placed += known.room()
	return d.save(id, known, layers{})
}

// room is how many waiting runs a run counts as.
func (r knownRun) room() int { return 1 + r.bytes/placedBytes }

// adoptWaiting moves roots that have waited for a span below its run, as many as the transaction has room for.
func (d *draft) adoptWaiting(runID string, of spanKey) error {
	waiting, err := d.withLabels(of.labels(otlp.ParentSpanIDKey), d.room()+1)
	if err != nil {
		return err
	}
	through := int64(0)
	for _, root := range waiting {
		if d.room() == 0 {
			d.placeLater(store.DeferredPlacement{RunID: runID, Kind: store.OfParentSpan, Through: through})
			break
		}
		if err := d.adopt(root, runID); err != nil {
			return err
		}
		through = root.Seq
	}
	return nil
}

// placeLater leaves runs to other transactions.
func (d *draft) placeLater(u store.DeferredPlacement) {
	s := d.step
	u.WorkspaceID = d.workspaceID
	d.rest = append(d.rest, func(tx *store.Tx) error {
		s.later = true
		return tx.PlaceLater(u)
	})
}

// Settle places some of the runs of a workspace that transactions have left to others, or of any workspace if the ID is empty. It returns
// whether there may be more.
func (s *Service) Settle(ctx context.Context, workspaceID string) (more bool, err error) {
	var next store.DeferredPlacement
	var waiting []store.Run
	err = s.store.ReadTraced(ctx, func(tx *store.Tx) (err error) {
		if next, err = tx.NextDeferred(workspaceID); err == nil {
			waiting, err = waitingBelow(tx, next)
		}
		return err
	})
	if store.Missing(&err) || err != nil {
		return false, err
	}
	if next.Kind == store.OfFormerTrace {
		return true, s.write(ctx, store.Expected{WorkspaceID: next.WorkspaceID}, func(tx *store.Tx) error { return tx.MoveMore(next) })
	}
	ids := []string{next.RunID}
	for _, run := range waiting {
		ids = append(ids, run.ID)
	}
	_, err = s.transactOnce(ctx, next.WorkspaceID, []part{{
		changed: ids, work: func(d *draft) error { return d.settle(next, waiting) },
	}})
	return true, err
}

// waitingBelow returns the next runs that have to be placed.
func waitingBelow(tx *store.Tx, u store.DeferredPlacement) ([]store.Run, error) {
	switch u.Kind {
	case store.OfParent:
		return tx.Orphans(u.WorkspaceID, u.RunID, u.Through, placedAtOnce)
	case store.OfParentSpan:
		_, stored, err := tx.StoredRun(u.WorkspaceID, u.RunID)
		if store.Missing(&err) || err != nil {
			return nil, err
		}
		said, err := readLayers(stored.Unpacked())
		if err != nil {
			return nil, err
		}
		labels := spanOf(said).labels(otlp.ParentSpanIDKey)
		return tx.Labelled(u.WorkspaceID, labels.First, labels.Other, u.Through, placedAtOnce)
	default:
		return nil, nil
	}
}

// settle places runs that have waited for another one.
func (d *draft) settle(next store.DeferredPlacement, waiting []store.Run) error {
	through, all := next.Through, len(waiting) < placedAtOnce
	for _, run := range waiting {
		if d.room() == 0 {
			all = false
			break
		}
		err := d.settleOne(next, run.ID)
		if _, refused := errors.AsType[*form.Error](err); !refused && err != nil { // A run that can't be placed goes on waiting.
			return err
		}
		through = run.Seq
	}
	d.rest = append(d.rest, func(tx *store.Tx) error { return tx.Placed(next, through, all) })
	return nil
}

// settleOne places a run, unless another request has.
func (d *draft) settleOne(next store.DeferredPlacement, id string) error {
	row, err := d.row(id)
	if err != nil || row.ID == "" {
		return err
	}
	if next.Kind == store.OfParentSpan {
		return d.adopt(row, next.RunID)
	}
	if row.DottedOrder != nil || row.ParentRunID == nil || *row.ParentRunID != next.RunID {
		return nil
	}
	if row, err = d.placeOrphan(id); err != nil || !canHaveChildren(row) {
		return err
	}
	return d.placeWaiting(id)
}

// storeSpans stores spans as runs with their files, and returns which are rejected, and why.
//
// A trace arrives in parts, and children arrive before their parents, which end later. Some parents never arrive: they are
// spans of a program that exports elsewhere. So a run without its parent is the root of its own trace, until the parent
// arrives and adopts it with all runs below it.
//
// The runs are ordered so that parents come first.
func (d *draft) storeSpans(runs []otlp.Run, files map[string][]ingest.Attachment) (refused []error, err error) {
	ids := map[spanKey]string{}
	for i := range runs {
		run := &runs[i]
		err := d.storeSpan(run, ids)
		if wrong, is := errors.AsType[*form.Error](err); is {
			refused = append(refused, fmt.Errorf("span %s: %w", run.SpanID, wrong))
			continue
		}
		if err != nil {
			return nil, err
		}
		d.rest = append(d.rest, func(tx *store.Tx) error { return giveAttachments(tx, files[run.ID]) })
	}
	return refused, nil
}

// spanKey identifies a span in OpenTelemetry's terms.
type spanKey struct{ traceID, spanID string }

// storeSpan stores a span; ids maps the already stored spans of the same request to their runs.
func (d *draft) storeSpan(run *otlp.Run, ids map[spanKey]string) error {
	before, err := d.known(run.ID)
	if err != nil {
		return err
	}
	if of := spanOf(before.said); of.traceID != "" && of.traceID != run.TraceID {
		return form.Conflicting("trace %s already has a span with this ID, from which run IDs are made", of.traceID)
	}
	parentID, err := d.parentOf(run, before, ids)
	if err != nil {
		return err
	}
	fields := run.Fields
	if parentID != "" {
		fields = maps.Clone(fields) // It may have another parent next time.
		fields["parent_run_id"] = rawjson.Quote(parentID)
	}
	if err := d.applyTo(run.ID, before, layers{post: fields}); err != nil {
		return err
	}
	ids[spanKey{run.TraceID, run.SpanID}] = run.ID
	if before.row != nil {
		return nil // Its children were adopted before.
	}
	return d.adoptWaiting(run.ID, spanKey{run.TraceID, run.SpanID})
}

// spanOf returns the span from which a run was made; empty if it wasn't made from a span.
func spanOf(said layers) (key spanKey) {
	extra, _ := rawjson.ReadObject(said.post["extra"])
	metadata, _ := rawjson.ReadObject(extra.Get("metadata"))
	key.traceID, _ = metadata.Text(otlp.TraceIDKey)
	key.spanID, _ = metadata.Text(otlp.SpanIDKey)
	return key
}

// parentOf returns the run of a span's parent; empty if there is none.
func (d *draft) parentOf(run *otlp.Run, before knownRun, ids map[spanKey]string) (string, error) {
	if run.ParentSpanID == "" {
		return "", nil
	}
	id := ids[spanKey{run.TraceID, run.ParentSpanID}]
	if id == "" {
		found, err := d.withLabels(spanKey{run.TraceID, run.ParentSpanID}.labels(otlp.SpanIDKey), 1)
		if err != nil || len(found) == 0 {
			return "", err
		}
		id = found[0].ID
	}
	if before.row == nil {
		return id, nil
	}
	// Two spans that are each other's parents can't both be below the other.
	parent, err := d.row(id)
	if err != nil || parent.IsBelow(run.ID) {
		return "", err
	}
	return id, nil
}

// labels are those of a span's run, by otlp.SpanIDKey, or those of the runs of spans that name it as their parent, by otlp.ParentSpanIDKey.
func (k spanKey) labels(key string) store.Labels {
	return store.Labels{
		First: store.Label{Kind: store.Metadata, Key: key, Value: k.spanID},
		Other: store.Label{Kind: store.Metadata, Key: otlp.TraceIDKey, Value: k.traceID},
	}
}

// partOf is the part of a request that stores spans.
func partOf(runs []otlp.Run) (p part) {
	ids := map[spanKey]bool{}
	for _, run := range runs {
		span, parent := spanKey{run.TraceID, run.SpanID}, spanKey{run.TraceID, run.ParentSpanID}
		p.created, p.labels = append(p.created, run.ID), append(p.labels, span.labels(otlp.ParentSpanIDKey))
		if run.ParentSpanID != "" && !ids[parent] {
			p.labels = append(p.labels, parent.labels(otlp.SpanIDKey))
		}
		ids[span] = true
	}
	return p
}

// adopt moves a root that has waited below a run. If the trace would become too deep, it remains a root.
func (d *draft) adopt(root store.Run, parentID string) error {
	d.placed++
	parent, err := d.row(parentID)
	if err != nil || parent.DottedOrder == nil || root.ParentRunID != nil || root.ID == parent.TraceID {
		return err
	}
	depth, err := d.depth(root.ID)
	if err != nil || strings.Count(*parent.DottedOrder, ".")+1+depth > limits.TraceDepth {
		return err
	}
	return d.moveBelow(root, parent)
}

// moveBelow makes a root a child of another run, and moves its trace along.
func (d *draft) moveBelow(root, parent store.Run) error {
	known, err := d.known(root.ID)
	if err != nil || known.said.member("dotted_order") != nil { // The client that logged it has set its place.
		return err
	}
	moved, err := d.save(root.ID, known, layers{post: ingest.Fields{"parent_run_id": rawjson.Quote(parent.ID)}})
	if err != nil {
		return err
	}
	d.placed += known.room()
	d.moveTrace(root, moved)
	return nil
}

// keepFiles stores the attachments of runs, keyed by run ID.
func keepFiles(ctx context.Context, sink ingest.Sink, runs []otlp.Run) (map[string][]ingest.Attachment, error) {
	files := map[string][]ingest.Attachment{}
	for _, run := range runs {
		for _, a := range run.Attachments {
			content, size, err := sink.Keep(ctx, bytes.NewReader(a.Content))
			if err != nil {
				return nil, err
			}
			files[run.ID] = append(files[run.ID], ingest.Attachment{Name: a.Name, MimeType: a.MimeType, Size: size, Content: content})
		}
	}
	return files, nil
}
