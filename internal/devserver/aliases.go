package devserver

import (
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
)

// DefaultWorkspaceID is the workspace of a request that names none while Config.Keys is empty.
const DefaultWorkspaceID = rest.DefaultWorkspaceID

type (
	// Key is an API key and the workspaces that it opens.
	Key = rest.Key
	// Bound is something that clients can have no more of.
	Bound = limits.Bound
	// Request is an entry of the log of requests.
	Request = rest.Request
	// Fault is something that goes wrong on purpose.
	Fault = rest.Fault
	// RolloutFault is what goes wrong with a rollout.
	RolloutFault = rest.RolloutFault
)

// Bounds are those that every server has.
func Bounds() []Bound { return limits.Table() }
