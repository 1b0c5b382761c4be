package oauthtoken_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

type object = map[string]any

// secret is the access token of every login here.
const secret = "canary-access-token"

// calendar is a plane with an OAuth provider whose token endpoint grants everything.
func calendar(t *testing.T) *providertest.Plane {
	t.Helper()
	plane := providertest.NewDev(t)
	tokens := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(object{"access_token": secret, "token_type": "Bearer", "expires_in": 3600})
	}))
	t.Cleanup(tokens.Close)
	plane.Call("POST", "/v2/auth/providers", object{
		"provider_id": "calendar", "name": "Calendar", "client_id": "c", "auth_url": "https://login.example.com/authorize", "token_url": tokens.URL,
	}, nil)
	return plane
}

// imported stores a token that expires in so many seconds, and returns its id.
func imported(plane *providertest.Plane, token string, seconds int, scopes ...string) string {
	var made struct {
		TokenID string `json:"token_id"`
	}
	plane.Call("POST", "/v2/auth/tokens/import", object{
		"provider_id": "calendar", "access_token": token, "expires_in_seconds": seconds, "scopes": append([]string{}, scopes...),
	}, &made)
	return made.TokenID
}

// comeBack does what the browser of a user does who was sent to an address.
func comeBack(t *testing.T, plane *providertest.Plane, address string, with url.Values) {
	t.Helper()
	at, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	with.Set("state", at.Query().Get("state"))
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, plane.URL+"/v2/auth/callback/calendar?"+with.Encode(), http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-Api-Key", providertest.APIKey) // The contract wants one of every request; the service doesn't.
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
}

// addressIn finds the address in a text.
func addressIn(t *testing.T, text string) string {
	t.Helper()
	for word := range strings.FieldsSeq(text) {
		if strings.HasPrefix(word, "https://login.example.com/authorize?") {
			return word
		}
	}
	t.Fatalf("there is no address in %q", text)
	return ""
}

const accessToken = "agentplane_oauth_access_token"

// open opens the ephemeral resource, and returns its attributes as texts; null is left out.
func open(t *testing.T, rpc *providertest.RPC, config object) (map[string]string, []*tfprotov6.Diagnostic) {
	t.Helper()
	resp, err := rpc.Server.OpenEphemeralResource(context.Background(), &tfprotov6.OpenEphemeralResourceRequest{
		TypeName: accessToken, Config: rpc.Value(config),
	})
	if err != nil {
		t.Fatal(err)
	}
	if resp.Result == nil {
		return nil, resp.Diagnostics
	}
	texts := map[string]string{}
	for name, value := range rpc.Attributes(resp.Result, rpc.Schema.EphemeralResourceSchemas[accessToken].ValueType()) {
		var text *string
		if value.Type().Is(tftypes.String) && value.As(&text) == nil && text != nil {
			texts[name] = *text
		}
	}
	return texts, resp.Diagnostics
}
