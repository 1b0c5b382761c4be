package run

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/refusal"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/figure"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/timestamp"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// derive computes the row of a run from its logged data, or returns an error if the data is invalid.
func (l *logging) derive(id string, known knownRun) (store.Run, []store.Label, error) {
	run, problems := llmrun.DecodeRunMembers(known.layers.together(id))
	if err := refuseProblems(id, problems); err != nil {
		return store.Run{}, nil, err
	}
	received := l.now
	if known.row != nil {
		received = known.row.ReceivedAt
	}
	if err := l.place(run, known.layers, received); err != nil {
		return store.Run{}, nil, err
	}
	if err := refuseProblems(id, run.CheckTrace()); err != nil {
		return store.Run{}, nil, err
	}
	if run.DottedOrder != nil && len(run.DottedOrder) > limits.TraceDepth {
		return store.Run{}, nil, refuseRun(refusal.Unprocessable, id,
			[]string{fmt.Sprintf("the run is more than %d runs deep in its trace", limits.TraceDepth)})
	}
	if run.SessionName == "" {
		run.SessionName = projectAt(known.layers)
	}
	projectID, err := l.project(run)
	if err != nil {
		return store.Run{}, nil, err
	}
	row := newRun(run, l.workspaceID, projectID, received)
	if known.row != nil {
		row.Seq = known.row.Seq
	}
	err = l.measure(&row, run, known.row)
	return row, labelsOf(run), err
}

// refuseProblems refuses a run with problems; those about the place in the trace are of another kind.
func refuseProblems(id string, problems []document.Problem) error {
	if len(problems) == 0 {
		return nil
	}
	kind := refusal.Unprocessable
	texts := make([]string, len(problems))
	for i, p := range problems {
		texts[i] = p.Message
		if strings.HasPrefix(p.Rule, "dotted_order") {
			kind = refusal.BadRequest
			continue
		}
		texts[i] = strings.TrimSuffix(p.Message+": "+p.Remedy, ": ")
	}
	return refuseRun(kind, id, texts)
}

// place sets what a client has left to the service. It uses the posts as far as possible: a corrected start time doesn't
// move the run.
func (l *logging) place(run *llmrun.Run, said layers, received time.Time) error {
	stated := run.StartTime
	if first, err := timestamp.Read(said.post["start_time"]); err == nil && run.DottedOrder == nil {
		run.StartTime = &first
	}
	// The ID is known, so no other is generated.
	run.Complete(uuid.Nil, received)
	if run.DottedOrder == nil && run.ParentRunID != uuid.Nil && run.TraceID == uuid.Nil {
		parent, err := l.tx.Run(l.workspaceID, run.ParentRunID.String())
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		if err == nil && parent.DottedOrder != nil {
			if parent.IsBelow(run.ID.String()) {
				return refuseRun(refusal.BadRequest, run.ID.String(), []string{"the parent " + parent.ID + " is below the run itself"})
			}
			order, err := llmrun.ParseDottedOrder(*parent.DottedOrder)
			if err != nil {
				return err
			}
			run.Place(order)
		}
	}
	if stated != nil {
		run.StartTime = stated
	}
	return nil
}

func newRun(run *llmrun.Run, workspaceID, projectID string, received time.Time) store.Run {
	row := store.Run{
		WorkspaceID: workspaceID, ID: run.ID.String(), ProjectID: projectID, TraceID: run.TraceID.String(),
		Name: run.Name, RunType: string(run.RunType), Status: string(run.Status()),
		StartTime: *run.StartTime, EndTime: run.EndTime, FirstTokenTime: run.FirstTokenTime(),
		Error: api.NonEmpty(run.Error), ThreadID: api.NonEmpty(run.ThreadID()), ReceivedAt: received,
	}
	if run.ParentRunID != uuid.Nil {
		row.ParentRunID = api.NonEmpty(run.ParentRunID.String())
	}
	switch {
	case run.DottedOrder != nil:
		row.DottedOrder = api.NonEmpty(run.DottedOrder.String())
	default: // The trace is unknown until the parent exists; the parent of a direct child of the root is the trace.
		row.TraceID = run.ParentRunID.String()
	}
	return row
}

// labelsOf returns the tags and metadata by which runs can be found.
func labelsOf(run *llmrun.Run) []store.Label {
	labels := make([]store.Label, 0, len(run.Tags)+len(run.Metadata))
	for _, tag := range run.Tags {
		labels = append(labels, store.Label{Value: tag})
	}
	return appendEntries(labels, "", run.Metadata, 1)
}

// appendEntries appends the entries of an object, with a prefix before the keys. An entry that is an object is one entry as
// a whole, and its members are further entries.
func appendEntries(labels []store.Label, prefix string, object map[string]json.RawMessage, depth int) []store.Label {
	for key, raw := range object {
		value := string(raw)
		switch raw[0] {
		case 'n': // null
			continue
		case '"':
			_ = json.Unmarshal(raw, &value) // It was read before.
		case '[', '{':
			var compact bytes.Buffer
			if json.Compact(&compact, raw) == nil {
				value = compact.String()
			}
		}
		labels = append(labels, store.Label{Kind: store.Metadata, Key: prefix + key, Value: value})
		var inner map[string]json.RawMessage
		if raw[0] == '{' && depth < limits.MetadataDepth && json.Unmarshal(raw, &inner) == nil {
			labels = appendEntries(labels, prefix+key+".", inner, depth+1)
		}
	}
	return labels
}

// measure sets tokens and costs. A run keeps its costs unless a client logs something new about them: prices apply only to
// what is logged after them, never to what already has a cost.
func (l *logging) measure(row *store.Run, run *llmrun.Run, before *store.Run) error {
	row.Figures = figure.None
	prices, err := l.service.Prices.Of(l.tx, l.workspaceID)
	if err != nil {
		return err
	}
	m := run.Measure(prices)
	if problems := figure.Excessive(m); problems != nil {
		return refuseRun(refusal.Unprocessable, row.ID, problems)
	}
	f := figure.Stored{Model: m.Model.Name}
	if m.UsageSource == "" && len(m.Problems) == 0 {
		if f.Model != "" {
			row.Figures = f.Encode()
		}
		return nil
	}
	row.PromptTokens, row.CompletionTokens, row.TotalTokens = m.Usage.Tokens()
	f.PromptTokenDetails, f.CompletionTokenDetails = m.Usage.InputTokenDetails, m.Usage.OutputTokenDetails
	f.PromptCostDetails, f.CompletionCostDetails = m.Cost.PromptCostDetails, m.Cost.CompletionCostDetails
	for _, p := range m.Problems {
		f.Problems = append(f.Problems, p.String())
	}
	if f.Basis, err = basisOf(run, m); err != nil {
		return err
	}
	if before != nil {
		old, err := figure.ReadStored(before.ID, before.Figures)
		if err != nil {
			return err
		}
		if old.Basis == f.Basis {
			row.PromptCost, row.CompletionCost, row.TotalCost = before.PromptCost, before.CompletionCost, before.TotalCost
			row.Figures, row.PriceID = before.Figures, before.PriceID
			return nil
		}
	}
	row.PromptCost, row.CompletionCost, row.TotalCost = decimalText(m.Cost.PromptCost), decimalText(m.Cost.CompletionCost), decimalText(m.Cost.TotalCost)
	if m.Cost.Price != nil {
		row.PriceID = &m.Cost.Price.ID
	}
	row.Figures = f.Encode()
	return nil
}

func decimalText(d *usage.Decimal) *string {
	if d == nil {
		return nil
	}
	text := d.String()
	return &text
}

// basisOf returns a digest of what determines the costs of a run, apart from prices.
func basisOf(run *llmrun.Run, m llmrun.Measurement) (string, error) {
	text, err := json.Marshal([]any{run.RunType, run.StartTime, m.Model.Name, m.Model.Provider, m.Model.Params, m.Usage})
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:12]), nil
}
