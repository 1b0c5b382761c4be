package chaos

import (
	"fmt"
	"math/rand/v2"
	"net/http"
)

// listeners are named by compute_id, and replaced when it changes. Their namespaces always have that of the deployments.
var listeners = announced(&noun{
	kind: kind{typeName: "agentplane_listener"}, collection: "/v2/listeners", keyed: "compute_id", imported: "id",
	starts: func(random *rand.Rand, attributes map[string]any) {
		attributes["compute_config"] = namespaces("team", random)
		if chance(random, 0.5) {
			attributes["version"] = release(random)
		}
	},
	changes: func(random *rand.Rand, attributes map[string]any) {
		if chance(random, 0.5) {
			attributes["compute_config"] = namespaces("team", random)
			return
		}
		attributes["version"] = release(random)
	},
	method: http.MethodPatch,
	meddled: func(random *rand.Rand, _ map[string]any) map[string]any {
		if chance(random, 0.5) {
			return map[string]any{"compute_config": namespaces("theirs", random)}
		}
		return map[string]any{"version": "theirs"}
	},
})

func namespaces(prefix string, random *rand.Rand) any {
	all := []string{"agents"}
	for n := range random.IntN(4) {
		all = append(all, fmt.Sprintf("%s-%d", prefix, n))
	}
	return map[string]any{"k8s_namespaces": all}
}

func release(random *rand.Rand) string { return fmt.Sprintf("v1.%d", random.IntN(100)) }

// oauthProviders are named by provider_id, and replaced when it changes. Nobody sees their secrets, so nobody else changes them.
var oauthProviders = announced(&noun{
	kind: kind{typeName: "agentplane_oauth_provider"}, collection: "/v2/auth/providers", keyed: "provider_id", imported: "provider_id",
	fields: map[string]string{"client_secret_wo": "client_secret"},
	starts: func(random *rand.Rand, attributes map[string]any) {
		attributes["name"], attributes["client_id"] = "Mail", value(random)
		attributes["auth_url"], attributes["token_url"] = "https://login.example.com/authorize", "https://login.example.com/token"
		if secret := pick(random, "", "client_secret", "client_secret_wo"); secret != "" {
			attributes[secret] = value(random)
		}
	},
	changes: func(random *rand.Rand, attributes map[string]any) {
		switch random.IntN(7) {
		case 0:
			attributes["name"] = "Mail " + value(random)
		case 1:
			attributes["client_id"] = value(random)
		case 2:
			attributes["auth_url"] = "https://login.example.com/" + value(random)
		case 3:
			attributes["authorization_params"] = map[string]any{"prompt": value(random)}
		case 4:
			attributes["allowed_redirect_uris"] = []any{"https://app.example.com/" + value(random)}
		case 5:
			attributes["uses_pkce"] = chance(random, 0.5)
		case 6:
			for _, secret := range []string{"client_secret", "client_secret_wo"} {
				if _, has := attributes[secret]; has {
					attributes[secret] = value(random)
				}
			}
		}
	},
	method: http.MethodPatch,
	meddled: func(random *rand.Rand, body map[string]any) map[string]any {
		client := map[string]any{"client_id": "theirs"}
		if secret, has := body["client_secret"]; has {
			client["client_secret"] = secret // The service demands it with another client.
		}
		return pick(random, map[string]any{"name": "theirs"}, client, map[string]any{"authorization_params": map[string]any{"prompt": "theirs"}})
	},
})

// modelPrices are never replaced. Their costs are texts, which services answer as numbers.
var modelPrices = announced(&noun{
	kind: kind{typeName: "agentplane_model_price"}, collection: "/api/v1/model-price-map", keyed: "name", imported: "id",
	fields: map[string]string{"model_provider": "provider"},
	starts: func(random *rand.Rand, attributes map[string]any) {
		attributes["match_pattern"] = "^" + value(random) + "$"
		attributes["prompt_cost"], attributes["completion_cost"] = cost(random), cost(random)
	},
	changes: func(random *rand.Rand, attributes map[string]any) {
		switch random.IntN(6) {
		case 0:
			attributes["prompt_cost"] = cost(random)
		case 1:
			attributes["completion_cost"] = cost(random)
		case 2:
			attributes["prompt_cost_details"] = map[string]any{"cache_read": cost(random)}
		case 3:
			attributes["match_pattern"] = "^" + value(random) + "$"
		case 4:
			attributes["model_provider"] = value(random)
		case 5:
			attributes["prompt_token_threshold"] = random.IntN(1000)
		}
	},
	method: http.MethodPut,
	meddled: func(random *rand.Rand, body map[string]any) map[string]any {
		for _, field := range []string{"id", "tenant_id", "created_at"} {
			delete(body, field)
		}
		body[pick(random, "prompt_cost", "completion_cost")] = cost(random)
		return body
	},
})

func cost(random *rand.Rand) string {
	return fmt.Sprintf(pick(random, "0.00%d", "%de-6"), 1+random.IntN(99))
}

// announced lists a noun's objects in the way of its kind.
func announced(n *noun) *noun {
	n.list = n.listed
	return n
}
