package chaos

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
)

// agentConnections are named by the agent, of which each has one, and replaced when the agent or the OAuth provider changes. The user is
// logged in at both providers.
var agentConnections = &noun{
	kind: kind{typeName: "agentplane_agent_connection", list: connected}, keyed: "agent_id",
	starts:  chooseProvider,
	changes: chooseProvider,
}

// loginProviders are the OAuth providers that the connections choose from.
var loginProviders = []string{"calendar", "mail"}

func chooseProvider(random *rand.Rand, attributes map[string]any) {
	attributes["provider_id"] = pick(random, loginProviders...)
}

// connection is an agent's connection to the user's token.
type connection struct{ *plain }

// newConnection logs the user in before.
func newConnection(random *rand.Rand, s *service, label string) connection {
	for _, id := range loginProviders {
		s.call(http.MethodPost, "/v2/auth/providers", map[string]any{
			"provider_id": id, "name": id, "client_id": "c", "auth_url": "https://login.example.com/authorize", "token_url": "https://login.example.com/token",
		}, nil)
		s.logIn(id)
	}
	return connection{newPlain(random, agentConnections, label)}
}

// logIn gives the user another token, which becomes the default.
func (s *service) logIn(providerID string) {
	s.call(http.MethodPost, "/v2/auth/tokens/import", map[string]any{"provider_id": providerID, "access_token": "theirs"}, nil)
}

func (c connection) clone() object {
	copied, _ := c.plain.clone().(*plain)
	return connection{copied}
}

// meddle implements object: another user disconnects the agent, or logs in again, which leaves connections as they are.
func (c connection) meddle(random *rand.Rand, s *service, f found, meanwhile bool) string {
	if chance(random, 0.5) && !meanwhile {
		s.try(http.MethodDelete, connectionsOf(f.key)+"/"+f.id, nil)
		return "disconnect " + f.key
	}
	providerID := pick(random, loginProviders...)
	s.logIn(providerID)
	return "log in at " + providerID
}

func connectionsOf(agentID string) string {
	return "/v2/auth/agents/" + url.PathEscape(agentID) + "/connections"
}

// connected are the connections of all agents that requests have named.
func connected(s *service) []found {
	var all []found
	for _, agentID := range s.named() {
		var list struct{ Data []map[string]any }
		s.call(http.MethodGet, connectionsOf(agentID), nil, &list)
		for _, body := range list.Data {
			id := text(body, "id")
			all = append(all, found{id: id, key: agentID, importID: fmt.Sprintf("%s/%s", agentID, id), body: body})
		}
	}
	return all
}

// agentIn is the agent in the path of a request.
func agentIn(path string) (string, bool) {
	_, rest, is := strings.Cut(path, "/auth/agents/")
	agentID, _, _ := strings.Cut(rest, "/")
	return agentID, is
}
