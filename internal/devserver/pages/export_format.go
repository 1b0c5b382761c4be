package pages

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/figure"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// exportedRun is a run with its figures: alone, and with all runs below it.
type exportedRun struct {
	store.Run
	figure.Subtree
}

func (e *exporting) withFigures(c *rest.Call, rows []store.Run) ([]exportedRun, error) {
	below, err := figure.Summarize(c.Tx, c.WorkspaceID, rows)
	return form.Collect(rows, func(row store.Run) exportedRun { return exportedRun{row, below[row.ID]} }), err
}

// latency is in seconds; empty while the run is pending.
func (r exportedRun) latency() string {
	if r.EndTime == nil {
		return ""
	}
	return strconv.FormatFloat(r.EndTime.Sub(r.StartTime).Seconds(), 'f', -1, 64)
}

// exportFormat writes runs to a file, below its head.
type exportFormat struct {
	mediaType, extension string
	head                 []byte
	run                  func(row exportedRun, said map[string]json.RawMessage) []byte
}

var (
	// jsonLines has a line for each run, with all that was logged about it, and its figures.
	jsonLines = exportFormat{"application/x-ndjson", "jsonl", nil, runAsJSON}
	// csvTable has a row for each run.
	csvTable = exportFormat{"text/csv; charset=utf-8", "csv", csvLine(
		"id", "trace_id", "parent_run_id", "thread_id", "name", "run_type", "status", "start_time", "end_time", "latency", "models",
		"own_tokens", "own_cost", "prompt_tokens", "completion_tokens", "total_tokens", "total_cost", "error", "inputs", "outputs",
	), runAsCSV}
)

func runAsJSON(row exportedRun, said map[string]json.RawMessage) []byte {
	line := maps.Clone(said)
	figures := map[string]any{
		"id": row.ID, "trace_id": row.TraceID, "thread_id": row.ThreadID, "status": row.Status, "latency": json.Number(row.latency()), "models": row.Models,
		"own_tokens": row.Own.TotalTokens, "own_cost": row.Own.TotalCost, "prompt_tokens": row.Totals.PromptTokens,
		"completion_tokens": row.Totals.CompletionTokens, "total_tokens": row.Totals.TotalTokens, "total_cost": row.Totals.TotalCost,
	}
	if row.EndTime == nil {
		figures["latency"] = nil
	}
	for name, value := range figures {
		line[name], _ = json.Marshal(value) // Strings and numbers can be encoded.
	}
	var compact bytes.Buffer
	encoded := rawjson.EncodeMembers(line)
	if json.Compact(&compact, encoded) != nil { // It is nested too deeply for that.
		return append(bytes.ReplaceAll(encoded, []byte("\n"), []byte(" ")), '\n') // Between its values: strings contain none.
	}
	return append(compact.Bytes(), '\n')
}

func runAsCSV(row exportedRun, said map[string]json.RawMessage) []byte {
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	var end string
	if row.EndTime != nil {
		end = row.EndTime.UTC().Format(time.RFC3339Nano)
	}
	return csvLine(
		row.ID, row.TraceID, api.OrEmpty(row.ParentRunID), api.OrEmpty(row.ThreadID), row.Name, row.RunType, row.Status,
		row.StartTime.UTC().Format(time.RFC3339Nano), end, row.latency(), strings.Join(row.Models, " "),
		number(row.Own.TotalTokens), costText(row.Own.TotalCost), number(row.Totals.PromptTokens), number(row.Totals.CompletionTokens),
		number(row.Totals.TotalTokens), costText(row.Totals.TotalCost), api.OrEmpty(row.Error), string(said["inputs"]), string(said["outputs"]),
	)
}

// csvLine returns a line. Spreadsheets would take a text that begins like a formula for one.
func csvLine(cells ...string) []byte {
	for i, cell := range cells {
		if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
			cells[i] = "'" + cell
		}
	}
	var line bytes.Buffer
	w := csv.NewWriter(&line)
	_ = w.Write(cells) // Memory can be written.
	w.Flush()
	return line.Bytes()
}
