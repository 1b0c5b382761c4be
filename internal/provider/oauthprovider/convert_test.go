package oauthprovider

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// answered is everything that the service can say.
var answered = api.OAuthProviderResponse{
	ID: "id", OrganizationID: "organization", ProviderID: "calendar", Name: "Calendar", ClientID: "client", AuthURL: "https://a",
	TokenURL: "https://t", UsesPKCE: true, CodeChallengeMethod: new("plain"), ProviderType: new(api.OAuthProviderX),
	TokenEndpointAuthMethod: api.TokenEndpointAuthNone, AuthorizationParams: map[string]string{"a": "b"}, IsDynamicClient: true,
	AllowedRedirectURIs: []string{"app://b", "app://a"}, DefaultRedirectURI: new("https://d"), CreatedAt: "then", UpdatedAt: "now",
}

// TestNewModel_roundTrip makes a request of what was answered: nothing is lost, and nothing is left to change.
func TestNewModel_roundTrip(t *testing.T) {
	t.Parallel()
	m := newModel(model{}, answered)
	request, patch := m.toCreate(), m.toPatch(m)
	want := api.OAuthProviderCreateRequest{
		ProviderID: "calendar", Name: "Calendar", ClientID: "client", AuthURL: "https://a", TokenURL: "https://t",
		UsesPKCE: api.Some(true), CodeChallengeMethod: api.Some("plain"), ProviderType: api.Some(api.OAuthProviderX),
		TokenEndpointAuthMethod: api.Some(api.TokenEndpointAuthNone),
		AuthorizationParams:     api.Some(map[string]string{"a": "b"}), AllowedRedirectURIs: api.Some([]string{"app://b", "app://a"}),
	}
	if diff := cmp.Diff(want, request); diff != "" {
		t.Errorf("the request (-want +got):\n%s", diff)
	}
	if patch != (api.OAuthProviderUpdateRequest{}) || m.differs(m) {
		t.Errorf("%+v is left to change", patch)
	}
}

// TestNewModel_order keeps the order of the state if a service sorts the URIs; a configuration in another order is a change.
func TestNewModel_order(t *testing.T) {
	t.Parallel()
	written := newModel(model{}, answered)
	sorted := answered
	sorted.AllowedRedirectURIs = []string{"app://a", "app://b"}
	if got := newModel(written, sorted); !got.AllowedRedirectURIs.Equal(written.AllowedRedirectURIs) {
		t.Errorf("allowed_redirect_uris = %s, want the order of the state", got.AllowedRedirectURIs)
	}
	reordered := newModel(model{}, sorted)
	if want := api.Some([]string{"app://a", "app://b"}); !cmp.Equal(want, reordered.toPatch(written).AllowedRedirectURIs) {
		t.Errorf("the patch is %+v, want the new order", reordered.toPatch(written))
	}
}

// TestNewModel_unanswered keeps what an installation doesn't report, and knows the defaults of what was never said.
func TestNewModel_unanswered(t *testing.T) {
	t.Parallel()
	full := newModel(model{}, answered)
	silent := answered
	silent.CodeChallengeMethod, silent.TokenEndpointAuthMethod = nil, ""
	silent.AuthorizationParams, silent.AllowedRedirectURIs = nil, nil
	kept, imported := newModel(full, silent), newModel(model{}, silent)
	if diff := cmp.Diff(full, kept, cmp.AllowUnexported(model{})); diff != "" {
		t.Errorf("what was known (-want +got):\n%s", diff)
	}
	want := full
	want.CodeChallengeMethod, want.TokenEndpointAuthMethod = types.StringValue("S256"), types.StringValue("client_secret_post")
	want.AuthorizationParams, want.AllowedRedirectURIs = noParams, noURIs
	if diff := cmp.Diff(want, imported, cmp.AllowUnexported(model{})); diff != "" {
		t.Errorf("an import (-want +got):\n%s", diff)
	}
}

// TestToPatch changes one field at a time: it is in the patch, alone, and differs says so; unknown, it may differ.
func TestToPatch(t *testing.T) {
	t.Parallel()
	current := newModel(model{}, answered)
	tests := map[string]struct {
		change func(*model)
		want   string
	}{
		"name":                       {func(m *model) { m.Name = types.StringValue("new") }, `{"name":"new"}`},
		"client_id":                  {func(m *model) { m.ClientID = types.StringValue("new") }, `{"client_id":"new"}`},
		"auth_url":                   {func(m *model) { m.AuthURL = types.StringValue("new") }, `{"auth_url":"new"}`},
		"token_url":                  {func(m *model) { m.TokenURL = types.StringValue("new") }, `{"token_url":"new"}`},
		"uses_pkce":                  {func(m *model) { m.UsesPKCE = types.BoolValue(false) }, `{"uses_pkce":false}`},
		"code_challenge_method":      {func(m *model) { m.CodeChallengeMethod = types.StringValue("S256") }, `{"code_challenge_method":"S256"}`},
		"authorization_params":       {func(m *model) { m.AuthorizationParams = noParams }, `{"authorization_params":{}}`},
		"allowed_redirect_uris":      {func(m *model) { m.AllowedRedirectURIs = noURIs }, `{"allowed_redirect_uris":[]}`},
		"provider_type":              {func(m *model) { m.ProviderType = types.StringNull() }, `{}`},
		"token_endpoint_auth_method": {func(m *model) { m.TokenEndpointAuthMethod = types.StringNull() }, `{}`},
		"client_secret":              {func(m *model) { m.ClientSecret = types.StringValue("new") }, `{}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			planned := current
			test.change(&planned)
			got, err := json.Marshal(planned.toPatch(current))
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != test.want || planned.differs(current) != (test.want != "{}") {
				t.Errorf("differs: %t, patch %s, want %s", planned.differs(current), got, test.want)
			}
		})
	}
	unknown := current
	unknown.AuthURL = types.StringUnknown()
	if !unknown.differs(current) {
		t.Error("what is unknown may differ")
	}
}

// TestAttributePath finds the argument that a location in a request stands for.
func TestAttributePath(t *testing.T) {
	t.Parallel()
	stored := model{ClientSecret: types.StringValue("canary")}
	tests := map[string]struct {
		m    model
		loc  []api.LocStep
		want string
	}{
		"text":              {stored, []api.LocStep{api.Key("auth_url")}, "auth_url"},
		"element":           {stored, []api.LocStep{api.Key("allowed_redirect_uris"), api.Index(1)}, "allowed_redirect_uris[1]"},
		"stored secret":     {stored, []api.LocStep{api.Key("client_secret")}, "client_secret"},
		"write-only secret": {model{}, []api.LocStep{api.Key("client_secret")}, "client_secret_wo"},
		"something else":    {stored, []api.LocStep{api.Key("slug")}, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, found := test.m.failure("create").AttributePath(test.loc)
			if got.String() != test.want || found != (test.want != "") {
				t.Errorf("got %q, %t; want %q", got, found, test.want)
			}
		})
	}
}

// TestAnsweredOr prefers the answer, then what was known, then the default.
func TestAnsweredOr(t *testing.T) {
	t.Parallel()
	value := types.StringValue
	tests := map[string]struct{ answered, prior, want attr.Value }{
		"answered":      {value("a"), value("p"), value("a")},
		"empty":         {value(""), value("p"), value("")},
		"known before":  {types.StringNull(), value("p"), value("p")},
		"never known":   {types.StringNull(), types.StringNull(), value("d")},
		"not known yet": {types.StringNull(), types.StringUnknown(), value("d")},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := framework.AnsweredOr(test.answered, test.prior, attr.Value(value("d"))); !got.Equal(test.want) {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// TestSameServer replaces nothing because of a slash.
func TestSameServer(t *testing.T) {
	t.Parallel()
	value, null := types.StringValue, types.StringNull()
	for name, test := range map[string]struct{ prior, answered, want types.String }{
		"slash added":  {value("https://a"), value("https://a/"), value("https://a")},
		"slash gone":   {value("https://a/"), value("https://a"), value("https://a/")},
		"another":      {value("https://a"), value("https://b"), value("https://b")},
		"none":         {value("https://a"), null, null},
		"imported":     {null, value("https://a/"), value("https://a/")},
		"never was":    {null, null, null},
		"empty answer": {null, value(""), value("")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := sameServer(test.prior, test.answered); !got.Equal(test.want) {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// TestParseImportID returns IDs in the service's spelling, because another one would show as a change.
func TestParseImportID(t *testing.T) {
	t.Parallel()
	const workspace = "7c9e6679-7425-40de-944b-e07fc1f90ae7"
	tests := map[string]framework.ImportID{
		"google":                                           {ID: "google"},
		workspace + "/google":                              {WorkspaceID: workspace, ID: "google"},
		strings.ToUpper(workspace) + "/google":             {WorkspaceID: workspace, ID: "google"},
		"urn:uuid:" + workspace + "/a.b-c_1":               {WorkspaceID: workspace, ID: "a.b-c_1"},
		strings.ReplaceAll(workspace, "-", "") + "/google": {WorkspaceID: workspace, ID: "google"},
	}
	for text, want := range tests {
		if got, err := parseImportID(text); err != nil || got != want {
			t.Errorf("%s: want %+v, got %+v, %v", text, want, got, err)
		}
	}
	for _, text := range []string{"", "/google", "acme/google", workspace + "/", "-google"} {
		if got, err := parseImportID(text); err == nil {
			t.Errorf("%s: want an error, got %+v", text, got)
		}
	}
}
