package web

import "time"

// SharesView is the list of the shared runs and conversations of a workspace.
type SharesView struct {
	Frame
	Shares []Share
	Paging Paging
}

// Share is a shared run, or a conversation of a project. Anybody who has the token can read it. StartTime is that of the run, or of the last turn.
type Share struct {
	Token, RunID, TraceID, Name, ProjectID, ThreadID string
	StartTime                                        time.Time
}
