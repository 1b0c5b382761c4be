package web

import (
	"html/template"
	"net/http"
	"slices"
	"strings"
	"time"
)

// functions are those of the templates.
var functions = template.FuncMap{
	"known":     known,
	"moment":    momentText,
	"iso":       func(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) },
	"duration":  duration,
	"wait":      func(d time.Duration) string { return duration(&d) },
	"count":     count,
	"size":      size,
	"cost":      cost,
	"exactCost": exactCost,
	"dollars":   shortCost,
	"json":      newJSONText,

	"export":     newExports,
	"firstSteps": newFirstSteps,
	"external":   external,
	"local":      local,
	"origin":     origin,
	"paged":      func(p Paging) bool { return local(p.PreviousURL) != "" || local(p.NextURL) != "" },

	"status":     newStatus,
	"code":       newCodeStatus,
	"statusText": http.StatusText,
	"effects":    effects,
	"bars":       newStateBars,
	"stateKind":  stateKind,
	"roleKind":   func(role string) string { return among(roles, role) },
	"blockKind":  func(block string) string { return among(blockTypes, block) },
	"media":      func(block string) bool { return slices.Contains(mediaBlocks, block) },

	"timelineOf": func(frame Frame, v TimelineView) timelinePart { return timelinePart{frame.Paths(), v} },
	"logKind":    logKind,
	"short":      short,
	"explaining": Explaining,
	"neg":        func(d time.Duration) time.Duration { return -d },
	"number":     func(i int) int { return i + 1 },
	"plural":     plural,
	"long":       func(n int) int64 { return int64(n) },
	"rolloutRows": func(v rolloutPart) requestRows {
		return requestRows{"Requests of this rollout", origin(v.Frame), v.Requests}
	},
	"rolloutOf":   func(v RolloutView) rolloutPart { return rolloutPart{v.Frame, v.DeploymentID, v.Rollout} },
	"requestRows": newRequestRows,
	"choice":      newChoice,
	"runList": func(frame Frame, path string, list RunList) runListPart {
		return runListPart{frame, path, list}
	},
	"figures": newFiguresPart,
	"cells":   compareGroup,
	"figureGroups": func(label string, columns []Column, groups []FiguresGroup, paths Paths, compared []Setting) figuresTable {
		if len(groups) < 2 {
			compared = nil
		}
		return figuresTable{label, columns, groups, paths, compared}
	},
	"settings": func(label string, settings []Setting) settingsTable {
		return settingsTable{label, settings}
	},
	"problems": func(label string, problems []Problem) problemsTable {
		return problemsTable{label, problems}
	},
}

// timelinePart is a timeline on a page.
type timelinePart struct {
	Paths Paths
	TimelineView
}

// logKind returns a class: how a line of a log is shown.
func logKind(level string) string {
	switch strings.ToUpper(level) {
	case "ERROR", "CRITICAL", "FATAL":
		return "bad"
	case "WARNING", "WARN":
		return "busy"
	default:
		return "idle"
	}
}

// rolloutPart is the live part of a rollout on a page.
type rolloutPart struct {
	Frame

	DeploymentID string
	RolloutPart
}

// requestRows is a table of requests with its caption.
type requestRows struct {
	Label, Origin string
	Rows          []RolloutRequest
}

func newRequestRows(v RequestsView) requestRows {
	rows := requestRows{Label: "Requests seen, newest first", Origin: origin(v.Frame)}
	for _, r := range v.Requests {
		rows.Rows = append(rows.Rows, RolloutRequest{Request: r})
	}
	return rows
}

// runListPart is a list of runs on the page at a path.
type runListPart struct {
	Frame

	Path string
	List RunList
}

// figuresTable is a table of groups with its caption. Columns may be missing. With Compared, which is as in FiguresView, it is a form that
// compares two of them.
type figuresTable struct {
	Label    string
	Columns  []Column
	Groups   []FiguresGroup
	Paths    Paths
	Compared []Setting
}

// choice is a field of a form.
type choice struct {
	Name, Chosen string
	Options      []string
}

// newChoice also offers a chosen value that is unknown, because the list is filtered by it.
func newChoice(name, chosen string, options []string) choice {
	if chosen != "" && !slices.Contains(options, chosen) {
		options = slices.Concat(options, []string{chosen})
	}
	return choice{name, chosen, options}
}

// settingsTable and problemsTable are tables with their captions.
type (
	settingsTable struct {
		Label    string
		Settings []Setting
	}
	problemsTable struct {
		Label    string
		Problems []Problem
	}
)

// The words of which classes of the style sheet consist.
var (
	roles       = []string{"system", "reasoning", "user", "assistant", "tool"}
	mediaBlocks = []string{"image", "file", "audio", "video"}
	blockTypes  = slices.Concat(mediaBlocks, []string{
		"text", "reasoning", "tool_call", "server_tool_call", "server_tool_result",
	})
)

// among returns a word as a class, if it is an allowed one: logged values must not select arbitrary classes.
func among(words []string, word string) string {
	if slices.Contains(words, word) {
		return strings.ReplaceAll(word, "_", "-")
	}
	return "other"
}
