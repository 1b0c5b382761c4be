package web

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// hostile are texts that would have an effect as markup, URL or script.
var hostile = []string{
	`"><script>alert(1)</script>`, `'><img src=x onerror=alert(1)>`, `javascript:alert(1)`, ` JaVaScRiPt:alert(1)`,
	"java\tscript:alert(1)", `data:text/html,<script>alert(1)</script>`, `data:image/svg+xml,<svg onload="alert(1)"/>`,
	`data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9ImFsZXJ0KDEpIi8+`, `<svg onload=alert(1)><script>alert(1)</script></svg>`,
	`</title></pre></details></table><script>alert(1)</script>`, `x" onmouseover="alert(1)`, `{{.}}</script>`, "`${alert(1)}`",
	`//evil.example.com/x`, `/\evil.example.com`, `vbscript:alert(1)`, `--><script>alert(1)</script>`, `&lt;script&gt;&#60;`,
	`]]><![CDATA[<script>`, "\u202e\u2028<b>",
}

// fill sets all texts of a view, depending on their path, and puts two entries into every list. JSON gets them as values and keys.
func fill(v reflect.Value, text func(path string) string, path string, depth int) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(text(path))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(time.Second))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), text, path, depth)
	case reflect.Struct:
		if at, is := reflect.TypeAssert[*time.Time](v.Addr()); is {
			*at = moment
			return
		}
		for _, field := range reflect.VisibleFields(v.Type()) {
			of := path
			if v.Type().Field(field.Index[0]).Type == frameType {
				of = "" // Parts have the frame of their page.
			}
			if !field.Anonymous {
				fill(v.FieldByIndex(field.Index), text, of+"."+field.Name, depth)
			}
		}
	case reflect.Slice:
		if raw, is := reflect.TypeAssert[*json.RawMessage](v.Addr()); is {
			said := text(path)
			*raw, _ = json.Marshal([]any{map[string]string{said: said, "type": said, "url": said, "title": said, "cited_text": said}})
			return
		}
		if depth == 0 {
			return // The tree of a trace is recursive.
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			fill(v.Index(i), text, path, depth-1)
		}
	default:
		panic("fill doesn't support " + v.Kind().String())
	}
}

// shaped sets the fields that decide which parts a page shows, so that it shows most of them.
func shaped(view any, blockType string) any {
	switch v := view.(type) {
	case RunView:
		for _, d := range []*Document{&v.Inputs, &v.Outputs} {
			d.Format = blockType
			for i := range d.Messages {
				d.Messages[i].Seen = d == &v.Inputs && i == 0
				for k := range d.Messages[i].Content {
					d.Messages[i].Content[k].Type = blockType
				}
			}
		}
		return v
	case TraceView:
		v.Order, v.Only, v.Find = "cost", "", "" // See TestTreeSearch.
		v.Run, _ = shaped(v.Run, blockType).(RunView)
		return v
	case MessageView:
		for k := range v.Message.Content {
			v.Message.Content[k].Type = blockType
		}
		return v
	default:
		return view
	}
}

func filled(view any, text func(path string) string, blockType string) any {
	v := reflect.New(reflect.TypeOf(view)).Elem()
	depth := 4
	if _, is := view.(TraceView); is {
		depth = 3 // It also contains a run.
	}
	fill(v, text, "", depth)
	return shaped(v.Interface(), blockType)
}

// shapes returns the types of blocks that are tried in a run; one empty type for other views.
func shapes(view any) []string {
	switch view.(type) {
	case RunView, MessageView:
		return slices.Concat(blockTypes, []string{"novel", "unrecognized"})
	}
	return []string{""}
}

// TestHostile checks that hostile texts don't change the structure that a page has with harmless ones.
func TestHostile(t *testing.T) {
	t.Parallel()
	p := newPages(t)
	for _, view := range empty() {
		for _, blockType := range shapes(view) {
			t.Run(fmt.Sprintf("%T %s", view, blockType), func(t *testing.T) {
				t.Parallel()
				say := func(text string) string {
					return render(t, p, filled(view, func(string) string { return text }, blockType))
				}
				want := parsePage(t, say("harmless")).shape()
				for _, text := range hostile {
					html := say(text)
					page := parsePage(t, html)
					if diff := cmp.Diff(want, page.shape()); diff != "" {
						t.Errorf("%q changes the structure of the page (-want +got):\n%s", text, diff)
					}
					for _, raw := range []string{"<script>alert", "<img src=x", "<svg onload", "<b>"} {
						if strings.Contains(html, raw) {
							t.Errorf("%q is in the page without escaping", raw)
						}
					}
					for _, complaint := range complaints(page) {
						t.Errorf("%q: %s", text, complaint)
					}
				}
			})
		}
	}
}

// deciding lists texts that a page doesn't show, or only if they are valid: URLs, base64, and texts for which
// another one is shown.
var deciding = []string{
	".Server.WorkspaceID", ".Server.Dialect", ".Server.ListenerID", ".Server.K8sNamespace", ".Base", ".Origin", ".Address", ".Runs.FollowURL", ".Runs.Path", ".URL", ".Range.Ranges.URL", ".Range.Ranges.Label", ".Range.Path", ".Paging.NextURL", ".Paging.PreviousURL",
	".Timeline.Paging.NextURL", ".Timeline.Paging.PreviousURL", ".Attachments.URL", ".Filter.Scope",
	".Deployment.Status", ".Deployment.LatestRevisionStatus", ".Deployment.LatestRevisionID", ".Deployment.ActiveRevisionID", ".Deployment.ActiveVersion", // The timeline's statuses are shown.
	".Range.Label", ".FiguresURL", ".BackURL", ".Figures.PointURLs", ".Figures.UnreadURL", ".Figures.InterruptsURL", ".Figures.Groups.URL", ".Models.URL", ".Figures.Columns.URL",
	".Figures.All.Before.TotalCost", ".Figures.Groups.Before.TotalCost", ".Models.Before.TotalCost", ".Projects.Before.TotalCost", ".Runs.Other.URL", ".Runs.Other.Label", // If they are paths, or have numbers.
	".A.URL", ".B.URL", ".A.Figures.TotalCost", ".B.Figures.TotalCost", // As above.
	".Columns.URL", ".Against", // The chosen one is among the others.
	".Rollout.Revision.Changes.Name", ".Rollout.Revision.Changes.Before", ".Rollout.Revision.Changes.After", // The settings are compared instead.
	".Roots.Status", ".Roots.Children.Status", ".Roots.TraceID", ".Roots.Children.TraceID", ".Shown.Run.ID", // A sign and a name are shown instead.
	".Groupings.URL", ".Groupings.Label", ".Figures.All.Points.TotalCost", ".Figures.All.Name", ".Figures.All.URL", ".Models.Points.TotalCost", // Groups are shown instead of totals.
	".Workspaces.URL", ".Runs.ExportURL", ".ClearURL", ".Order", ".Only", ".Find", ".Levels.URL", ".Levels.Label", ".PreviousURL", ".NextURL", ".DeploymentID",
	".A.RunType", ".B.RunType", ".Shown.Calls.Models", ".Shown.Calls.RunType", ".Shown.Calls.TotalCost", // Runs are summarized alike everywhere.
	".Faults.Match", ".Views.URL", ".Others.URL", ".Runs.Chips.WithoutURL", ".Shown.Run.Scores.Name", ".Shown.Run.Scores.Value", // Only lists of runs have scores.
	".Runs.AllURL", ".Runs.Facets.Facets.URL", ".Runs.MetadataKeys", ".Runs.Columns.URL", ".Runs.Columns.Order", ".Runs.Paging.NextURL", ".Runs.Paging.PreviousURL",
	".Runs.Filter.Scope", ".Runs.Problem",
	".Inputs.Format", ".Outputs.Format", ".Inputs.Messages.Content.Type", ".Outputs.Messages.Content.Type", // Tried one by one.
	".Inputs.Messages.Content.Base64", ".Outputs.Messages.Content.Base64",
	".Message.Content.Type", ".Message.Content.Base64", ".Message.Content.MIMEType",
	".Inputs.Messages.Content.MIMEType", ".Outputs.Messages.Content.MIMEType", // In lower case.
}

// TestEveryTextShown checks that every text of a view is shown, so that views have no unused fields and TestHostile covers all of them.
func TestEveryTextShown(t *testing.T) {
	t.Parallel()
	p := newPages(t)
	for _, view := range empty() {
		t.Run(fmt.Sprintf("%T", view), func(t *testing.T) {
			t.Parallel()
			paths := map[string]bool{}
			for _, blockType := range shapes(view) {
				page := render(t, p, filled(view, func(path string) string {
					if _, known := paths[path]; !known {
						paths[path] = false
					}
					return "z" + path + "z"
				}, blockType))
				for path := range paths {
					paths[path] = paths[path] || strings.Contains(page, "z"+path+"z")
				}
			}
			for _, path := range slices.Sorted(maps.Keys(paths)) {
				if _, trace := view.(TraceView); trace && strings.HasPrefix(path, ".Run.") {
					continue // The run's view contains it.
				}
				if _, thread := view.(ThreadView); thread && strings.Contains(path, ".Messages.") {
					continue // As above.
				}
				if deep := strings.Count(path, ".Children") > 1; !paths[path] && !deep && !slices.Contains(deciding, path) {
					t.Errorf("the page doesn't show %s", path)
				}
			}
		})
	}
}
