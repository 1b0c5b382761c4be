package web

import (
	"fmt"
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

	"export":   exportURL,
	"plain":    plain,
	"external": external,
	"local":    local,
	"origin":   origin,
	"paged":    func(p Paging) bool { return local(p.PreviousURL) != "" || local(p.NextURL) != "" },

	"status":     newStatus,
	"code":       newCodeStatus,
	"statusText": http.StatusText,
	"bars":       newStateBars,
	"stateKind":  stateKind,
	"roleKind":   func(role string) string { return among(roles, role) },
	"blockKind":  func(block string) string { return among(blockTypes, block) },
	"media":      func(block string) bool { return slices.Contains(mediaBlocks, block) },

	"logKind":    logKind,
	"short":      short,
	"artifact":   artifact,
	"explaining": Explaining,
	"neg":        func(d time.Duration) time.Duration { return -d },
	"number":     func(i int) int { return i + 1 },
	"plural":     plural,
	"long":       func(n int) int64 { return int64(n) },
	"choice":     newChoice,
	"figures":    newFiguresPart,
	"cells":      compareGroup,

	"dict": dict,
}

// dict returns a map of names and values, for a part of a page that needs several.
func dict(pairs ...any) map[string]any {
	all := map[string]any{}
	for pair := range slices.Chunk(pairs, 2) {
		all[fmt.Sprint(pair[0])] = pair[1]
	}
	return all
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
