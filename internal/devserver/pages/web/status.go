package web

import (
	"net/http"
	"strconv"
	"strings"
)

// status is a word for a state. It is shown by the word and a symbol, so that colour is not the only indication.
type status struct {
	Word string
	// Kind is good, bad, busy or idle: a class of the style sheet.
	Kind string
	Sign string
}

// The kinds of a status, with their signs.
var statusSigns = map[string]string{"good": "✓", "bad": "✕", "busy": "…", "idle": "–"}

// finalStatuses are the final statuses. Unknown ones count as final.
var finalStatuses = map[string]string{
	"READY": "good", "DEPLOYED": "good", "SUCCESS": "good",
	"ERROR": "bad", "INTERRUPTED": "bad",
	"INTERRUPT": "idle", // Of a graph, which is a run with the status error.
	"SKIPPED":   "idle", "UNUSED": "idle", "UNKNOWN": "idle", "": "idle",
}

// newStatus classifies a status of the API.
func newStatus(word string) status {
	upper := strings.ToUpper(word)
	kind, known := finalStatuses[upper]
	switch {
	case known:
	case strings.Contains(upper, "FAILED"):
		kind = "bad"
	default:
		kind = "busy"
	}
	if word == "" {
		word = "no status"
	}
	return status{word, kind, statusSigns[kind]}
}

// newCodeStatus classifies an HTTP status; zero is none.
func newCodeStatus(code int) status {
	word, kind := strconv.Itoa(code), "bad"
	switch {
	case code == 0:
		word = "no answer"
	case code < http.StatusMultipleChoices:
		kind = "good"
	case code < http.StatusBadRequest:
		kind = "idle"
	}
	return status{word, kind, statusSigns[kind]}
}
