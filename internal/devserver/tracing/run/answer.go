package run

import (
	"encoding/json"
	"net/url"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/feedback"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/figure"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/ingest"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/timestamp"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// runAnswer contains everything a response can include about a run. What needs further queries is set only if a requested
// field needs it.
type runAnswer struct {
	row   store.Run
	order llmrun.DottedOrder
	// base is the URL at which clients reach this server.
	base string

	said   ingest.Fields      // If a field needs the logged data.
	totals usage.Totals       // If a field needs figures.
	files  []store.Attachment // If a field needs attachments.
	below  []store.Run        // The direct children, if a field needs them.

	ratings feedback.Ratings // The feedback on the run, if a field needs it.
	share   string           // The share token, if a field needs it; empty if the run isn't shared.
}

// need is a set of data from which fields are built.
type need int

// The needs.
const (
	needRow     need = 0
	needSaid    need = 1 << iota // The data that clients logged.
	needTotals                   // Figures.
	needFiles                    // Attachments.
	needBelow                    // Children.
	needRatings                  // Feedback.
	needShare                    // The share token.
)

// Field is a field of a response.
type Field struct {
	need  need
	value func(*runAnswer) any
}

// absent is the value of a field that is left out.
var absent any = new(struct{ _ int })

// scope reports which runs the figures of a run include.
type scope bool

// The scopes.
const (
	Itself  scope = false // The run alone.
	Subtree scope = true  // The run and all below it.
)

// Answers builds the responses for rows, each with the requested fields under their JSON names.
func Answers(v View, rows []store.Run, fields map[string]Field, of scope) ([]map[string]any, error) {
	var needs need
	for _, f := range fields {
		needs |= f.need
	}
	var err error
	var below map[string]figure.Subtree
	if needs&needTotals != 0 && of == Subtree {
		if below, err = figure.Summarize(v.Tx, v.WorkspaceID, rows); err != nil {
			return nil, err
		}
	}
	var rated map[string]feedback.Ratings
	if needs&needRatings != 0 {
		if rated, err = feedback.ByRun(v.Tx, v.WorkspaceID, rows); err != nil {
			return nil, err
		}
	}
	var files map[string][]store.Attachment
	if needs&needFiles != 0 {
		if files, err = attachments(v, rows); err != nil {
			return nil, err
		}
	}
	all := make([]map[string]any, len(rows))
	for i, row := range rows {
		a, err := prepare(v, row, needs)
		if err != nil {
			return nil, err
		}
		if of == Subtree {
			a.totals = below[row.ID].Totals
		}
		a.ratings, a.files = rated[row.ID], files[row.ID]
		all[i] = make(map[string]any, len(fields))
		for name, f := range fields {
			if value := f.value(a); value != absent {
				all[i][name] = value
			}
		}
	}
	return all, nil
}

// prepare reads what the fields of an answer need of a run.
func prepare(v View, row store.Run, needs need) (*runAnswer, error) {
	a := &runAnswer{row: row, base: v.Base}
	var err error
	if row.DottedOrder != nil {
		if a.order, err = llmrun.ParseDottedOrder(*row.DottedOrder); err != nil {
			return nil, err
		}
	}
	if needs&needTotals != 0 {
		if a.totals, err = figure.Own(row); err != nil {
			return nil, err
		}
	}
	if needs&needSaid != 0 {
		said, err := readLayers(v.Tx.BodyOf(row))
		if err != nil {
			return nil, err
		}
		a.said = ingest.Merge(said.post, said.patch)
	}
	if needs&needShare != 0 {
		share, err := v.Tx.RunShare(v.WorkspaceID, row.ID)
		if err != nil {
			return nil, err
		}
		a.share = share.Token
	}
	if needs&needBelow != 0 {
		a.below, err = v.Tx.Runs(store.RunFilter{WorkspaceID: v.WorkspaceID, ParentRunID: row.ID}, true, nil, -1)
	}
	return a, err
}

// raw returns a field as a client sent it; nil if there is none.
func (a *runAnswer) raw(key string) any {
	if value, given := a.said[key]; given {
		return value
	}
	return nil
}

// member returns a member of the extra that a client sent.
func (a *runAnswer) member(key string) any {
	var extra map[string]json.RawMessage
	if json.Unmarshal(a.said["extra"], &extra) != nil || extra[key] == nil {
		return nil
	}
	return extra[key]
}

// preview returns the beginning of the logged data, as one line of JSON.
func (a *runAnswer) preview(key string) any {
	value := a.said[key]
	if len(value) == 0 {
		return nil
	}
	enough := value[:min(len(value), utf8.UTFMax*(limits.Preview+1))] // The rest would be copied.
	return form.Shortened(string(enough), limits.Preview)
}

// Preview returns the beginning of a member of what clients have logged about a run, such as inputs; nil for none.
func Preview(v View, row store.Run, member string) (any, error) {
	a, err := prepare(v, row, needSaid)
	if err != nil {
		return nil, err
	}
	return a.preview(member), nil
}

// parentIDs returns the ancestors, the root first.
func (a *runAnswer) parentIDs() []string {
	return form.Collect(a.order.ParentRunIDs(), uuid.UUID.String)
}

func (a *runAnswer) latency() *float64 {
	return api.Converted(a.row.EndTime, func(end time.Time) float64 { return end.Sub(a.row.StartTime).Seconds() })
}

// dottedOrder returns only the run's own part while its ancestors are unknown.
func (a *runAnswer) dottedOrder() string {
	if a.row.DottedOrder != nil {
		return *a.row.DottedOrder
	}
	return llmrun.NewDottedOrder(nil, a.row.StartTime, uuid.MustParse(a.row.ID)).String()
}

// appPath returns the path of the run's page.
func (a *runAnswer) appPath() string {
	return "/o/" + a.row.WorkspaceID + "/projects/p/" + a.row.ProjectID + "/r/" + a.row.ID +
		"?" + url.Values{"trace_id": {a.row.TraceID}, "start_time": {a.row.StartTime.Format(timestamp.NaiveLayout)}}.Encode()
}

// addresses returns the URLs of the run's attachments, by name.
func (a *runAnswer) addresses() map[string]string {
	all := make(map[string]string, len(a.files))
	for _, file := range a.files {
		all[file.Name] = a.base + "/attachments/" + file.ID
	}
	return all
}

func (a *runAnswer) tags() any {
	var tags []string
	if json.Unmarshal(a.said["tags"], &tags) != nil {
		return nil
	}
	return tags
}

// children returns the IDs of the direct children.
func (a *runAnswer) children() []string {
	return form.Collect(a.below, func(r store.Run) string { return r.ID })
}

// Formatted formats an optional time.
func Formatted(at *time.Time, layout string) *string {
	return api.Converted(at, func(at time.Time) string { return at.UTC().Format(layout) })
}

// Chosen returns the requested fields by name, or an error for an unknown one.
func Chosen(names []string, fields map[string]Field) (map[string]Field, []string) {
	some, unknown := make(map[string]Field, len(names)), []string{}
	for _, name := range names {
		f, known := fields[name]
		if !known {
			unknown = append(unknown, name)
			continue
		}
		some[name] = f
	}
	slices.Sort(unknown)
	return some, unknown
}
