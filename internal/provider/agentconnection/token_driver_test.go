package agentconnection_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

const upserts = "/v2/auth/agents/*/providers/*/tokens"

// driven is a token.
type driven struct{ *providertest.Driven }

func drive(t *testing.T, plane *providertest.Plane) driven {
	t.Helper()
	return driven{plane.Drive(t, "agentplane_agent_provider_token")}
}

// sent returns how many tokens were sent.
func (d driven) sent() int { return len(d.Plane.Requests("POST", upserts)) }

// tokenConfig is a configuration, with arguments that replace or add to those that every token has.
func tokenConfig(more object) object {
	config := object{"agent_id": "helper", "provider_id": "calendar", "access_token_wo": "canary", "tokens_wo_version": 1}
	maps.Copy(config, more)
	return config
}

// byHand stores a token as a user of the API does.
func byHand(plane *providertest.Plane, provider string, more object) (id string) {
	body := object{"access_token": "theirs"}
	maps.Copy(body, more)
	var made object
	plane.Call("POST", "/v2/auth/agents/helper/providers/"+provider+"/tokens", body, &made)
	id, _ = made["id"].(string)
	return id
}

func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	plain := strings.Join(strings.Fields(text), " ")
	for _, part := range parts {
		if !strings.Contains(plain, part) {
			t.Errorf("%q isn't in:\n%s", part, text)
		}
	}
}

func replacer(pairs ...string) *strings.Replacer { return strings.NewReplacer(pairs...) }

// earlier is another time of the same length.
func earlier(at string) string { return "2001" + at[4:] }
