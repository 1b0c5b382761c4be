package store

import "time"

// AgentConnection is a row of agent_connections with its token.
type AgentConnection struct {
	ID          string `db:"id"`
	WorkspaceID string `db:"workspace_id"`
	AgentID     string `db:"agent_id"`
	Token       OAuthToken
	CreatedBy   string    `db:"created_by"`
	CreatedAt   time.Time `db:"created_at"`
}

var (
	agentConnections      = tableOf[AgentConnection]("agent_connections")
	selectAgentConnection = "SELECT " + agentConnections.aliased("c") + ", " + oauthTokens.aliased("t") +
		" FROM agent_connections c JOIN oauth_tokens t ON t.id = c.oauth_token_id "
)

func scanAgentConnection(row scanner) (AgentConnection, error) {
	var c AgentConnection
	err := row.Scan(append(agentConnections.into(&c), oauthTokens.into(&c.Token)...)...)
	return c, err
}

// AgentConnection reads one connection of an agent.
func (t *Tx) AgentConnection(workspaceID, agentID, id string) (AgentConnection, error) {
	return queryOne(t, scanAgentConnection, selectAgentConnection+"WHERE c.workspace_id = ? AND c.agent_id = ? AND c.id = ?",
		workspaceID, agentID, id)
}

// AgentConnectionTo reads the connection of an agent to a token.
func (t *Tx) AgentConnectionTo(workspaceID, agentID, tokenID string) (AgentConnection, error) {
	return queryOne(t, scanAgentConnection, selectAgentConnection+"WHERE c.workspace_id = ? AND c.agent_id = ? AND t.id = ?",
		workspaceID, agentID, tokenID)
}

// AgentConnections lists the connections of an agent that a user has made, oldest first.
func (t *Tx) AgentConnections(workspaceID, agentID, createdBy string) ([]AgentConnection, error) {
	return query(t, scanAgentConnection, selectAgentConnection+`
		WHERE c.workspace_id = ? AND c.agent_id = ? AND c.created_by = ? ORDER BY c.seq`, workspaceID, agentID, createdBy)
}

// AgentConnectionsBy lists the newest connections of all agents that a user has made, newest first.
func (t *Tx) AgentConnectionsBy(workspaceID, createdBy string, limit int) ([]AgentConnection, error) {
	return query(t, scanAgentConnection, selectAgentConnection+`
		WHERE c.workspace_id = ? AND c.created_by = ? ORDER BY c.seq DESC LIMIT ?`, workspaceID, createdBy, limit)
}

// InsertAgentConnection adds a connection; of its token, only the ID is used.
func (t *Tx) InsertAgentConnection(c AgentConnection) error {
	return t.exec("INSERT INTO agent_connections (id, workspace_id, agent_id, oauth_token_id, created_by, created_at) VALUES (?, ?, ?, ?, ?, ?)",
		c.ID, c.WorkspaceID, c.AgentID, c.Token.ID, c.CreatedBy, micros(c.CreatedAt))
}

// DeleteAgentConnection deletes a connection.
func (t *Tx) DeleteAgentConnection(workspaceID, id string) error {
	return t.execOne("DELETE FROM agent_connections WHERE workspace_id = ? AND id = ?", workspaceID, id)
}
