package providertest

import (
	"encoding/json"
	"fmt"
)

// unpublished are responses that are expected although the document doesn't define them, with the reasons. Their body must still be
// an ErrorDetail.
var unpublished = []struct{ path, method, status, reason string }{
	{"/v1/integrations/github/{integration_id}/repos", "get", "404", "no page says what an unknown integration answers; 404 is what other nouns do"},
	{"/v2/deployments/{deployment_id}/revisions/{revision_id}/interruption", "post", "400", "no page says what a revision answers that has ended; 400 is what broken rules are"},
	{"/v2/deployment-logs", "get", "404", "no page says what an unknown deployment or revision answers; 404 is what their own paths do"},
	{"/v2/auth/providers", "post", "409", "no page says what a provider_id answers that is taken; 409 is what other nouns do"},
	{"/v2/auth/providers/{provider_id}", "get", "404", "no page says what an unknown provider answers; 404 is what other nouns do"},
	{"/v2/auth/providers/{provider_id}", "patch", "404", "as for get"},
	{"/v2/auth/providers/{provider_id}", "delete", "404", "as for get"},
	{"/v2/auth/providers/mcp-discover", "post", "400", "no page says what a server answers from which nothing is discovered; 400 is what broken rules are"},
	{"/v2/auth/providers/mcp-discover", "post", "409", "as for post without discovery"},
	{"/v2/auth/authenticate", "post", "400", "no page says what a provider answers that can't be used; 400 is what broken rules are"},
	{"/v2/auth/authenticate", "post", "404", "no page says what an unknown provider answers, or an unknown token; 404 is what other nouns do"},
	{"/v2/auth/authenticate", "post", "409", "no page says what a provider answers whose secret is lost"},
	{"/v2/auth/callback/{provider_id}", "post", "400", "no page says what an unknown state answers; 400 is what RFC 6749 does"},
	{"/v2/auth/tokens/import", "post", "404", "as for authenticate"},
	{"/v2/auth/tokens/{token_id}/metadata", "patch", "404", "as for authenticate"},
	{"/v2/auth/tokens/{token_id}", "delete", "404", "as for authenticate"},
	{"/v2/auth/agents/{agent_id}/connections", "post", "404", "as for authenticate"},
	{"/v2/auth/agents/{agent_id}/connections", "post", "409", "no page says what a connection answers that is there; 409 is what other nouns do"},
	{"/v2/auth/agents/{agent_id}/connections/{connection_id}", "delete", "404", "as for authenticate"},
	{"/v2/auth/agents/{agent_id}/providers/{provider_id}/tokens", "post", "404", "as for authenticate"},
	{"/v2/auth/agents/{agent_id}/providers/{provider_id}/tokens", "post", "409", "no page says what happens to a token that another user has given the agent"},
}

// shown are operations for browsers. The generated document says that they return arbitrary JSON; in fact they return an HTML page.
var shown = []string{"/v2/auth/callback/{provider_id}", "/v2/auth/setup/{provider_id}"}

// amend completes a document: it adds the missing responses and forbids everything else.
func amend(document []byte) ([]byte, error) {
	var tree map[string]any
	if err := json.Unmarshal(document, &tree); err != nil {
		return nil, fmt.Errorf("the document is not JSON: %w", err)
	}
	items, _ := tree["paths"].(map[string]any)
	for _, u := range unpublished {
		item, _ := items[u.path].(map[string]any)
		operation, _ := item[u.method].(map[string]any)
		answers, known := operation["responses"].(map[string]any)
		if !known {
			continue // A test's own document.
		}
		if _, published := answers[u.status]; published {
			return nil, fmt.Errorf("%s %s: status %s is in the document now: drop it from the list", u.method, u.path, u.status)
		}
		answers[u.status] = map[string]any{
			"description": u.reason,
			"content": map[string]any{"application/json": map[string]any{
				"schema": map[string]any{"$ref": "#/components/schemas/ErrorDetail"},
			}},
		}
	}
	for _, path := range shown {
		item, _ := items[path].(map[string]any)
		operation, _ := item["get"].(map[string]any)
		answers, known := operation["responses"].(map[string]any)
		if !known {
			continue
		}
		page := map[string]any{"description": "A page.", "content": map[string]any{"text/html": map[string]any{}}}
		answers["200"], answers["400"] = page, page
	}
	closeObjects(tree)
	return json.Marshal(tree)
}

// closeObjects forbids unknown fields in all objects with listed fields. JSON Schema allows them by default, and the document
// doesn't forbid them, because the real service ignores unknown fields.
func closeObjects(node any) {
	switch node := node.(type) {
	case []any:
		for _, element := range node {
			closeObjects(element)
		}
	case map[string]any:
		_, listed := node["properties"].(map[string]any)
		if _, said := node["additionalProperties"]; listed && !said && node["type"] == "object" {
			node["additionalProperties"] = false
		}
		for _, member := range node {
			closeObjects(member)
		}
	}
}
