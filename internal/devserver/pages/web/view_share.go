package web

import "time"

// SharesView is the list of the shared runs of a workspace.
type SharesView struct {
	Frame
	Shares []Share
	Paging Paging
}

// Share is a shared run. Anybody who has the token can read it.
type Share struct {
	Token, RunID, TraceID, Name string
	StartTime                   time.Time
}
