package agentconnection_test

import (
	"fmt"
	"testing"
)

// TestAccAgentConnection_taken plans a connection that another user has made: the plan has its import block, and the apply fails.
func TestAccAgentConnection_taken(t *testing.T) {
	t.Parallel()
	d := calendar(t).Drive(t, "agentplane_agent_connection")
	token := imported(d.Plane)
	var made object
	d.Plane.Call("POST", "/v2/auth/agents/helper/connections", object{"oauth_token_id": token}, &made)
	id := fmt.Sprintf("helper/%s", made["id"])
	planned, told := d.Plan(object{"agent_id": "helper", "oauth_token_id": token})
	contains(t, told, `WARNING: Connection "helper" exists already`, "`moved` block", `import { to = ADDRESS id = "`+id+`" }`)
	contains(t, d.Apply(planned), "ERROR: ", id)
	d.Make(object{"agent_id": "other", "oauth_token_id": token})
	_, told = d.Plan(object{"agent_id": "helper", "oauth_token_id": token})
	contains(t, told, `ERROR: Connection "helper" exists already`, "Connection other/"+d.Text("id")+" would be destroyed", id)
}
