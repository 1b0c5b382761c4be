package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/refusal"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/ingest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/otlp"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// storeSpans stores spans as runs with their files, and returns which are rejected, and why.
//
// A trace arrives in parts, and children arrive before their parents, which end later. Some parents never arrive: they are
// spans of a program that exports elsewhere. So a run without its parent is the root of its own trace, until the parent
// arrives and adopts it with all runs below it.
//
// The runs are ordered so that parents come first.
func (l *logging) storeSpans(runs []otlp.Run, files map[string][]ingest.Attachment) (refused []error, err error) {
	ids := map[spanKey]string{}
	for i := range runs {
		run := &runs[i]
		err := l.storeSpan(run, ids)
		if wrong, is := errors.AsType[*ingest.Error](err); is {
			refused = append(refused, fmt.Errorf("span %s: %w", run.SpanID, wrong))
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, a := range files[run.ID] {
			if err := l.tx.GiveAttachment(a.Content, run.ID, a.Name, a.MimeType, a.Size); err != nil {
				return nil, err
			}
		}
	}
	return refused, nil
}

// spanKey identifies a span in OpenTelemetry's terms.
type spanKey struct{ traceID, spanID string }

// storeSpan stores a span; ids maps the already stored spans of the same request to their runs.
func (l *logging) storeSpan(run *otlp.Run, ids map[spanKey]string) error {
	before, err := l.known(run.ID)
	if err != nil {
		return err
	}
	if of := otlpTrace(before.said()); of != "" && of != run.TraceID {
		return &ingest.Error{Kind: refusal.Conflict, Problem: "trace " + of + " already has a span with this ID, from which run IDs are made"}
	}
	parentID, err := l.parentOf(run, before, ids)
	if err != nil {
		return err
	}
	c := l.ahead.change(changeKey{span: run, parentID: parentID}, func() *change {
		c := &change{runID: run.ID, post: run.Fields}
		if parentID != "" {
			c.post = maps.Clone(run.Fields) // It may have another parent next time.
			c.post["parent_run_id"] = rawjson.Quote(parentID)
		}
		return c
	})
	if err := l.applyTo(before, c); err != nil {
		return err
	}
	ids[spanKey{run.TraceID, run.SpanID}] = run.ID
	if before.row != nil {
		return nil // Its children were adopted before.
	}
	return l.adopt(run)
}

// otlpTrace returns the OpenTelemetry trace from which a run was made; empty if it wasn't made from a span.
func otlpTrace(said layers) string {
	extra, _ := rawjson.ReadObject(said.post["extra"])
	metadata, _ := rawjson.ReadObject(extra.Get("metadata"))
	id, _ := metadata.Text(otlp.TraceIDKey)
	return id
}

// parentOf returns the run of a span's parent; empty if there is none.
func (l *logging) parentOf(run *otlp.Run, before knownRun, ids map[spanKey]string) (string, error) {
	if run.ParentSpanID == "" {
		return "", nil
	}
	id := ids[spanKey{run.TraceID, run.ParentSpanID}]
	if id == "" {
		found, err := l.spans(run.TraceID, otlp.SpanIDKey, run.ParentSpanID)
		if err != nil || len(found) == 0 {
			return "", err
		}
		id = found[0].ID
	}
	if before.row == nil {
		return id, nil
	}
	// Two spans that are each other's parents can't both be below the other.
	parent, err := l.tx.Run(l.workspaceID, id)
	if err != nil || parent.IsBelow(run.ID) {
		return "", err
	}
	return id, nil
}

// spans returns the runs of an OpenTelemetry trace whose metadata has a given span ID under a key.
func (l *logging) spans(traceID, key, spanID string) ([]store.Run, error) {
	return l.tx.Labelled(l.workspaceID, store.Label{Kind: store.Metadata, Key: key, Value: spanID},
		store.Label{Kind: store.Metadata, Key: otlp.TraceIDKey, Value: traceID})
}

// adopt moves roots that have waited for a run below it. If a trace would become too deep, they remain roots.
func (l *logging) adopt(run *otlp.Run) error {
	waiting, err := l.spans(run.TraceID, otlp.ParentSpanIDKey, run.SpanID)
	if err != nil || len(waiting) == 0 {
		return err
	}
	parent, err := l.tx.Run(l.workspaceID, run.ID)
	if err != nil || parent.DottedOrder == nil {
		return err
	}
	for _, child := range waiting {
		if child.ParentRunID != nil || child.ID == parent.TraceID {
			continue
		}
		depth, err := l.tx.TraceDepth(l.workspaceID, child.ID)
		if err != nil {
			return err
		}
		if strings.Count(*parent.DottedOrder, ".")+1+depth > limits.TraceDepth {
			continue
		}
		if err := l.moveBelow(child, parent); err != nil {
			return err
		}
	}
	return nil
}

// moveBelow makes a root a child of another run, and moves its trace along.
func (l *logging) moveBelow(root, parent store.Run) error {
	known, err := l.known(root.ID)
	if err != nil || known.said().member("dotted_order") != nil { // The client that logged it has set its place.
		return err
	}
	c := l.ahead.change(changeKey{runID: root.ID, parentID: parent.ID}, func() *change {
		return &change{runID: root.ID, post: ingest.Fields{"parent_run_id": rawjson.Quote(parent.ID)}}
	})
	moved, err := l.save(root.ID, known, c)
	if err != nil {
		return err
	}
	return l.tx.MoveTrace(root, moved)
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
