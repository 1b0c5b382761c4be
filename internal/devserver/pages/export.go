package pages

import (
	"bytes"
	"net/http"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages/web"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/figure"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/run"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/session"
)

const (
	// exportRuns is how many runs of an export are read together, and exportBytes the size from which they are sent before more are read.
	exportRuns  = 100
	exportBytes = 1 << 20
)

// exported returns the next runs of an export, and none after the last one. Each call has another transaction: an export can take long, and
// clients decide how fast they read it.
type exported func(c *rest.Call) ([]store.Run, error)

// exports maps the paths of pages to what is exported of them.
func exports(p web.Paths) map[string]func() exported {
	return map[string]func() exported{
		p.Trace("{trace_id}"):     func() exported { return exportTraces(traceInPath) },
		p.Threads("{session_id}"): func() exported { return exportTraces(tracesOfThread) },
		p.Project("{session_id}"): exportList,
	}
}

// export sends all runs of a trace, a conversation or a list, as JSON Lines or CSV.
func (s *Service) export(w http.ResponseWriter, r *http.Request, from exported) {
	frame, workspaceID, err := s.frame(r)
	format := jsonLines
	if r.URL.Query().Get("format") == web.FormatCSV {
		format = csvTable
	}
	e := exporting{Service: s, request: r, workspaceID: workspaceID, format: format, from: from}
	e.chunk.Write(format.head)
	if err == nil {
		err = e.fill()
	}
	if err != nil {
		s.errorPage(w, r, frame, err)
		return
	}
	web.SetHeaders(w.Header())
	w.Header().Set("Content-Type", format.mediaType)
	w.Header().Set("Content-Disposition", `attachment; filename="runs.`+format.extension+`"`)
	for {
		release, err := s.rest.Hold(workspaceID, e.chunk.Len())
		if err == nil {
			_, err = e.chunk.WriteTo(w)
		}
		release()
		if err == nil && e.ended {
			return
		}
		if err == nil {
			err = e.fill()
		}
		if err != nil {
			s.rest.Logger.WarnContext(r.Context(), "export ended early", "error", err)
			panic(http.ErrAbortHandler) // The client learns that something is missing.
		}
	}
}

// exporting is an export in progress.
type exporting struct {
	*Service
	request     *http.Request
	workspaceID string
	format      exportFormat

	from  exported
	rows  []exportedRun // Those that were read and not yet written.
	chunk bytes.Buffer
	ended bool
}

// fill writes the next runs to the chunk.
func (e *exporting) fill() error {
	return e.look(e.request, e.workspaceID, e.rest.ReadTraced, func(c *rest.Call) error {
		if len(e.rows) == 0 {
			rows, err := e.from(c)
			if err == nil {
				e.rows, err = e.withFigures(c, rows)
			}
			if err != nil {
				return err
			}
			e.ended = len(rows) == 0
		}
		for len(e.rows) > 0 && e.chunk.Len() < exportBytes {
			row := e.rows[0]
			said, err := run.Logged(c.Tx, c.WorkspaceID, row.ID)
			if err != nil {
				return err
			}
			e.chunk.Write(e.format.run(row, said))
			e.rows = e.rows[1:]
		}
		return nil
	})
}

// exportTraces returns all runs of the traces that are found, one trace after the other, as their trees have them.
func exportTraces(find func(c *rest.Call) ([]string, error)) exported {
	var traces []string // Nil before they were found.
	var left []store.Run
	return func(c *rest.Call) (rows []store.Run, err error) {
		if traces == nil {
			if traces, err = find(c); err != nil {
				return nil, err
			}
		}
		for len(left) == 0 && len(traces) > 0 {
			trace, err := figure.ReadTrace(c.Tx, c.WorkspaceID, traces[0])
			if err != nil {
				return nil, err
			}
			left, traces = trace.Runs, traces[1:]
		}
		rows = left[:min(len(left), exportRuns)]
		left = left[len(rows):]
		return rows, nil
	}
}

// traceInPath returns the trace that the path names.
func traceInPath(c *rest.Call) ([]string, error) {
	return rest.Named(c, "trace_id", func(tx *store.Tx, workspaceID, id string) ([]string, error) {
		_, err := readTrace(tx, workspaceID, id)
		return []string{id}, err
	})
}

// tracesOfThread returns the traces of the conversation that the query names, the oldest first.
func tracesOfThread(c *rest.Call) ([]string, error) {
	project, err := rest.Named(c, "session_id", session.Read)
	if err != nil {
		return nil, err
	}
	id := c.Request.URL.Query().Get("thread")
	turns, err := c.Tx.ThreadRuns(store.RunFilter{WorkspaceID: c.WorkspaceID, ProjectIDs: []string{project.ID}}, []string{id})
	if err == nil && len(turns) == 0 {
		err = form.Missing("Thread '%s' not found.", id)
	}
	return form.Collect(turns, func(turn store.Run) string { return turn.TraceID }), err
}

// exportList returns the runs that match the filter of a list, in the order of their start.
func exportList() exported {
	var filter *store.RunFilter // Nil before the first runs: a range that ends now must not move while it is read.
	cursor, ended := "", false
	return func(c *rest.Call) ([]store.Run, error) {
		if ended {
			return nil, nil
		}
		if filter == nil {
			f, err := exportFilter(c)
			if err != nil {
				return nil, err
			}
			filter = &f
		}
		rows, next, err := run.Page(c.Tx, *filter, c.Request.URL.Query().Get("order") == "asc", cursor, exportRuns)
		cursor, ended = next, next == ""
		return rows, err
	}
}

// exportFilter selects the runs that the list of a project shows.
func exportFilter(c *rest.Call) (f store.RunFilter, _ error) {
	project, err := rest.Named(c, "session_id", session.Read)
	if err != nil {
		return f, err
	}
	at := addressOf(c, strings.TrimSuffix(c.Request.URL.Path, web.ExportOf("")))
	f = runsWithin(c, project, chosenRange(c))
	by := newRunList(at).Filter
	where, problem, err := conditionsOf(c, by, searchTerms(by))
	if problem != "" {
		err = form.Broken("%s", problem)
	}
	if err == nil {
		err = narrow(&f, where)
	}
	return f, err
}
