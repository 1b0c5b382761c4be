package run

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/figure"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/ingest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/otlp"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/decimal"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/timestamp"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// derived is what is stored of a run.
type derived struct {
	said    layers
	row     store.Run // Without its number and its project.
	project projectOf
	body    store.RunBody
	labels  []store.Label
}

// derive derives from everything that was logged about a run what is stored of it, or why it is refused.
func (d *draft) derive(id string, known knownRun, changes layers) (*derived, error) {
	r := &derived{said: known.said.with(changes)}
	received := d.now
	if known.row != nil {
		received = known.row.ReceivedAt
	}
	run, problems := llmrun.DecodeRunMembers(r.said.together(id))
	if err := refuseProblems(id, problems); err != nil {
		return nil, err
	}
	if err := d.place(r, run, received); err != nil {
		return nil, err
	}
	if err := refuseProblems(id, run.CheckTrace()); err != nil {
		return nil, err
	}
	if run.DottedOrder != nil && len(run.DottedOrder) > limits.TraceDepth {
		return nil, refuseRun(form.Unprocessable, id,
			[]string{fmt.Sprintf("the run is more than %d runs deep in its trace", limits.TraceDepth)})
	}
	r.project.name = cmp.Or(run.SessionName, projectAt(r.said))
	if run.SessionID != uuid.Nil {
		r.project.id = run.SessionID.String()
	}
	r.row, r.labels = newRun(run, d.workspaceID, received), store.StoredLabels(labelsOf(run))
	r.body = r.said.body().Packed()
	return r, d.measure(r, run, known.row)
}

// refuseProblems refuses a run with problems; those about the place in the trace are of another kind.
func refuseProblems(id string, problems []document.Problem) error {
	if len(problems) == 0 {
		return nil
	}
	kind := form.Unprocessable
	texts := make([]string, len(problems))
	for i, p := range problems {
		texts[i] = p.Message
		if strings.HasPrefix(p.Rule, "dotted_order") {
			kind = form.BadRequest
			continue
		}
		texts[i] = strings.TrimSuffix(p.Message+": "+p.Remedy, ": ")
	}
	return refuseRun(kind, id, texts)
}

// place sets what a client has left to the service. It uses the posts as far as possible: a corrected start time doesn't
// move the run.
func (d *draft) place(r *derived, run *llmrun.Run, received time.Time) error {
	stated := run.StartTime
	if first, err := timestamp.Read(r.said.post["start_time"]); err == nil && run.DottedOrder == nil {
		run.StartTime = &first
	}
	// The ID is known, so no other is generated.
	run.Complete(uuid.Nil, received)
	if run.DottedOrder == nil && run.ParentRunID != uuid.Nil && run.TraceID == uuid.Nil {
		parent, err := d.row(run.ParentRunID.String())
		if err != nil {
			return err
		}
		if parent.DottedOrder != nil {
			if parent.IsBelow(run.ID.String()) {
				return refuseRun(form.BadRequest, run.ID.String(), []string{"the parent " + parent.ID + " is below the run itself"})
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

func newRun(run *llmrun.Run, workspaceID string, received time.Time) store.Run {
	row := store.Run{
		WorkspaceID: workspaceID, ID: run.ID.String(), TraceID: run.TraceID.String(),
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

// measure sets tokens and costs. A run keeps its costs unless a client logs something new about them: prices apply only to
// what is logged after them, never to what already has a cost.
func (d *draft) measure(r *derived, run *llmrun.Run, before *store.Run) (err error) {
	row := &r.row
	row.Figures = figure.None
	var prices *usage.PriceMap
	if run.RunType.CallsModel() {
		if prices, err = d.pricesNow(); err != nil {
			return err
		}
	}
	m := run.Measure(prices)
	if problems := figure.Excessive(m); problems != nil {
		return refuseRun(form.Unprocessable, row.ID, problems)
	}
	f := figure.Stored{Model: m.Model.Name}
	if m.UsageSource == "" && m.Usage.Charges.IsZero() && len(m.Problems) == 0 {
		if f.Model != "" {
			row.Figures = f.Encode()
		}
		return nil
	}
	row.PromptTokens, row.CompletionTokens, row.TotalTokens = m.Usage.Tokens()
	f.PromptTokenDetails, f.CompletionTokenDetails = m.Usage.Input.Details, m.Usage.Output.Details
	f.PromptCostDetails, f.CompletionCostDetails = m.Cost.PromptCostDetails, m.Cost.CompletionCostDetails
	if m.Cost.TotalCost != nil {
		f.CostIncomplete = new(append([]string{}, m.Cost.Incomplete...))
	}
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
			if old.CostIncomplete == nil && before.TotalCost != nil {
				old.CostIncomplete = f.CostIncomplete
				row.Figures = old.Encode()
			}
			return nil
		}
	}
	text := func(cost *decimal.Decimal) *string { return api.Converted(cost, decimal.Decimal.String) }
	row.PromptCost, row.CompletionCost, row.TotalCost = text(m.Cost.PromptCost), text(m.Cost.CompletionCost), text(m.Cost.TotalCost)
	if m.Cost.Price != nil {
		row.PriceID = &m.Cost.Price.ID
	}
	row.Figures = f.Encode()
	return nil
}

// basisOf returns a digest of what determines the costs of a run, apart from prices.
func basisOf(run *llmrun.Run, m llmrun.Measurement) (string, error) {
	provider, _ := rawjson.ReadString(run.Metadata["ls_provider"]) // As it was logged: what is stored doesn't change if names get others.
	text, err := json.Marshal([]any{run.RunType, run.StartTime, m.Model.Name, provider, m.Model.Params, m.Usage})
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:12]), nil
}

// layers contain the posts and the patches of a run. Patches take precedence over posts, whichever arrived first.
type layers struct{ post, patch ingest.Fields }

// readLayers decodes the body of a run that was read, unless reading it failed.
func readLayers(body store.RunBody, err error) (layers, error) {
	if err != nil {
		return layers{}, err
	}
	post, hasPost := ingest.ReadFields(body.Post)
	patch, hasPatch := ingest.ReadFields(body.Patch)
	if !hasPost || !hasPatch {
		return layers{}, errors.New("the stored body of a run is not a JSON object")
	}
	return layers{post, patch}, nil
}

func (s layers) body() store.RunBody {
	return store.RunBody{Post: rawjson.EncodeMembers(s.post), Patch: rawjson.EncodeMembers(s.patch)}
}

// with returns the layers with changes.
func (s layers) with(changes layers) layers {
	return layers{ingest.Merge(s.post, changes.post), ingest.Merge(s.patch, changes.patch)}
}

func (s layers) size() int64 { return rawjson.MembersSize(s.post) + rawjson.MembersSize(s.patch) }

// member returns a member of what was logged.
func (s layers) member(name string) json.RawMessage {
	if value, patched := s.patch[name]; patched {
		return value
	}
	return s.post[name]
}

// together returns everything that was logged, with the ID.
func (s layers) together(id string) ingest.Fields {
	fields := ingest.Merge(s.post, s.patch)
	fields["id"] = json.RawMessage(`"` + id + `"`)
	return fields
}

// Logged returns everything that clients have logged about a run.
func Logged(tx *store.Tx, workspaceID, id string) (map[string]json.RawMessage, error) {
	said, err := readLayers(tx.RunBody(workspaceID, id))
	if err != nil {
		return nil, err
	}
	return said.together(id), nil
}

// ownKeys are the keys of metadata by which the server itself finds or groups runs: they get a label in any case.
var ownKeys = []string{otlp.TraceIDKey, otlp.SpanIDKey, otlp.ParentSpanIDKey, otlp.UnreadKey, "ls_model_name", "ls_user_id"}

// labelsOf returns the tags and metadata by which runs can be found: at most limits.Labels of each, and always the same ones. Of more
// metadata than that, they are the server's own keys, then the entries with the fewest keys in their path, and of these the first by the path of their object and their key.
func labelsOf(run *llmrun.Run) []store.Label {
	var labels []store.Label
	tags := run.Tags[:min(len(run.Tags), limits.Labels)]
	for _, tag := range tags {
		labels = append(labels, store.Label{Value: tag})
	}
	level := []entries{{members: run.Metadata}}
	for depth := 1; depth <= limits.MetadataDepth && len(level) > 0; depth++ {
		labels, level = appendLevel(labels, level, len(tags)+limits.Labels)
	}
	return labels
}

// entries are the members of an object in metadata, with the path of the object before their keys.
type entries struct {
	prefix  string
	members map[string]json.RawMessage
}

// appendLevel appends the entries of objects, up to a number of labels, and returns the objects among them. An entry that is an object is
// one entry as a whole, and its members are further entries. The path of an entry is made only for its label: all entries below a long key
// would take much memory.
func appendLevel(labels []store.Label, level []entries, most int) (_ []store.Label, next []entries) {
	slices.SortFunc(level, func(a, b entries) int { return cmp.Compare(a.prefix, b.prefix) })
	for _, o := range level {
		for _, key := range o.keys(most - len(labels)) {
			raw := o.members[key]
			if raw[0] == 'n' || len(o.prefix)+len(key) > limits.MetadataKey { // null, or too long
				continue
			}
			if len(labels) == most {
				return labels, nil
			}
			labels = append(labels, store.Label{Kind: store.Metadata, Key: o.prefix + key, Value: labelText(raw)})
			var inner map[string]json.RawMessage
			if raw[0] == '{' && json.Unmarshal(raw, &inner) == nil {
				next = append(next, entries{o.prefix + key + ".", inner})
			}
		}
	}
	return labels, next
}

// keys returns the keys of an object, in an order that matters only if there is no room for all: the server's own keys are the first.
func (o entries) keys(room int) []string {
	if len(o.members) <= room {
		return slices.Collect(maps.Keys(o.members))
	}
	rank := func(key string) int {
		if o.prefix == "" && slices.Contains(ownKeys, key) {
			return 0
		}
		return 1
	}
	return slices.SortedFunc(maps.Keys(o.members), func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
	})
}

// labelText returns the value of an entry as a text.
func labelText(raw json.RawMessage) string {
	value := string(raw)
	switch raw[0] {
	case '"':
		_ = json.Unmarshal(raw, &value) // It was read before.
	case '[', '{':
		var compact bytes.Buffer
		if json.Compact(&compact, raw) == nil {
			value = compact.String()
		}
	}
	return value
}
