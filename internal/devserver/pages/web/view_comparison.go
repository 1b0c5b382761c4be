package web

import (
	"encoding/json"
	"time"
)

// ComparisonView is two runs side by side.
type ComparisonView struct {
	Frame
	// ProjectID and ProjectName are those of the first run.
	ProjectID, ProjectName string
	A, B                   ComparedRun
}

// ComparedRun is one of the two.
type ComparedRun struct {
	ID, TraceID string
	// These are as in RunSummary.
	Name, Status, Model, Error string
	StartTime                  time.Time
	Latency, FirstToken        *time.Duration
	TotalTokens                int64
	TotalCost                  string
	// Inputs and Outputs are what was logged.
	Inputs, Outputs json.RawMessage
	Metadata        []Setting
}
