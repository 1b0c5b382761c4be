package agentconnection

import (
	"fmt"
	"net/http"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// failure describes a failed operation on an agent.
func failure(verb string, agentID types.String) framework.Failure {
	return framework.Failure{Summary: fmt.Sprintf("Cannot %s agent %q", verb, agentID.ValueString()), NextSteps: map[int]string{}}
}

func label(agentID, id types.String) string {
	return fmt.Sprintf("%s of agent %q", id.ValueString(), agentID.ValueString())
}

// tokenFailure describes a failed operation on a token of an agent.
func tokenFailure(verb string, agentID types.String) framework.Failure {
	f := failure(verb+" token of", agentID)
	f.NextSteps[http.StatusNotFound] = "Check provider_id. The resource agentplane_oauth_provider registers an OAuth provider."
	f.NextSteps[http.StatusConflict] = "Another user has already given the agent a token of this OAuth " +
		"provider. That user or an administrator must remove it first."
	return f
}

// importID is the import ID of a connection.
func importID(agentID types.String, id string) string { return agentID.ValueString() + "/" + id }
