package devserver

import (
	"log/slog"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
)

// DefaultWorkspaceID is the workspace of a request that doesn't name one while Config.Keys is empty.
const DefaultWorkspaceID = rest.DefaultWorkspaceID

// LevelAccess is the level of the record that each request has in the log.
const LevelAccess slog.Level = rest.LevelAccess

// LagHeader, with the value LagNone, exempts a request from Config.Lag.
const (
	LagHeader = rest.LagHeader
	LagNone   = rest.LagNone
)

type (
	// Key is an API key and the workspaces that it gives access to.
	Key = rest.Key
	// Bound is a limit that clients can reach.
	Bound = limits.Bound
	// Request is an entry of the request log.
	Request = rest.Request
	// Fault is a simulated failure.
	Fault = rest.Fault
	// RolloutFault describes how a rollout fails.
	RolloutFault = rest.RolloutFault
)

// Bounds lists the limits of every server.
func Bounds() []Bound { return limits.Table() }
