package chaos

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
)

// agentTokens belong to agents, which name them, and are replaced when the agent changes. Nobody sees the tokens, so a change of them
// shows only in what was sent.
var agentTokens = &noun{
	kind: kind{typeName: "agentplane_agent_provider_token", list: listedTokens}, collection: agentsPath, keyed: "agent_id",
	fields: map[string]string{"access_token_wo": "access_token"},
	starts: func(random *rand.Rand, attributes map[string]any) {
		attributes["provider_id"], attributes["access_token_wo"], attributes["tokens_wo_version"] = tokenLogin, value(random), 1
	},
	changes: func(random *rand.Rand, attributes map[string]any) {
		version, _ := attributes["tokens_wo_version"].(int)
		attributes["access_token_wo"], attributes["tokens_wo_version"] = value(random), version+1
		switch random.IntN(3) {
		case 0:
			attributes["scopes"] = []any{value(random)}
		case 1:
			attributes["provider_account_label"] = value(random)
		}
	},
	unsent: []string{"tokens_wo_version"}, meddles: meddleToken,
}

const agentsPath = "/v2/auth/agents/"

// tokenLogin is the OAuth provider of all tokens. It belongs to nobody's configuration.
const tokenLogin = "login"

// oneToken is a token of an agent.
func oneToken(random *rand.Rand, s *service, _ hiding) []object {
	s.call(http.MethodPost, oauthProviders.collection, loginAt(tokenLogin), nil)
	return []object{newPlain(random, agentTokens, "n0")}
}

// listedTokens are those of all agents that a world may have: the service lists them by agent.
func listedTokens(s *service) []found {
	var all []found
	for n := range 1 + changeSets {
		agentID := "chaos-n0"
		if n > 0 {
			agentID += fmt.Sprint("-", n)
		}
		var list struct{ Data []map[string]any }
		s.call(http.MethodGet, agentsPath+agentID+"/connections", nil, &list)
		for _, body := range list.Data {
			if token, sent := s.secret(agentID); sent {
				body["access_token"] = token
			}
			id := text(body, "id")
			all = append(all, found{id: id, key: agentID, importID: agentID + "/" + id, body: body})
		}
	}
	return all
}

// meddleToken deletes a token, as another user would, or stores another one.
func meddleToken(random *rand.Rand, s *service, f found, meanwhile bool) string {
	agent := agentsPath + f.key
	if chance(random, 0.25) && !meanwhile {
		s.try(http.MethodDelete, agent+"/connections/"+strings.TrimPrefix(f.importID, f.key+"/"), nil)
		return "delete " + f.key
	}
	change := map[string]any{"access_token": "theirs", "scopes": []string{"theirs"}}
	s.try(http.MethodPost, agent+"/providers/"+tokenLogin+"/tokens", change)
	return encoded(change)
}
