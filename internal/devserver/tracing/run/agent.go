package run

import (
	"encoding/json"
	"regexp"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/ingest"
)

// AgentID is the pattern of agent names.
var AgentID = regexp.MustCompile("^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$")

// agentAddress is what runs contain instead of a project.
var agentAddress = regexp.MustCompile("^lrn:agents/([a-z0-9-]+)/environments/([A-Za-z0-9_-]+)$")

// projectAt returns the project name for a run's agent; empty if it names none.
func projectAt(said layers) string {
	for _, fields := range []ingest.Fields{said.patch, said.post} {
		var address string
		if json.Unmarshal(fields["address"], &address) != nil {
			continue
		}
		if found := agentAddress.FindStringSubmatch(address); len(found) > 0 && AgentID.MatchString(found[1]) {
			return AgentProject(found[1], found[2])
		}
	}
	return ""
}

// AgentProject returns the project name of an agent in an environment.
func AgentProject(id, environment string) string { return id + "/" + environment }
