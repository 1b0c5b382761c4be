package authservice

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
)

// Metadata paths of RFC 9728, RFC 8414 and OpenID Connect Discovery.
const (
	protectedResourcePath   = "/.well-known/oauth-protected-resource"
	authorizationServerPath = "/.well-known/oauth-authorization-server"
	openIDPath              = "/.well-known/openid-configuration"
)

// discovery finds the authorization server of an MCP server.
type discovery struct {
	client *outbound
	server *url.URL
}

// protectedResource is the metadata of RFC 9728.
type protectedResource struct {
	Resource             string   `json:"resource"`
	AuthorizationServers []string `json:"authorization_servers"`
}

// authorizationServer is the metadata of RFC 8414, with the client that was registered there.
type authorizationServer struct {
	Issuer                string   `json:"issuer"`
	AuthorizationEndpoint string   `json:"authorization_endpoint"`
	TokenEndpoint         string   `json:"token_endpoint"`
	RegistrationEndpoint  string   `json:"registration_endpoint"`
	ChallengeMethods      []string `json:"code_challenge_methods_supported"`
	AuthMethods           []string `json:"token_endpoint_auth_methods_supported"`

	clientID, clientSecret, authMethod string
}

// errNoMetadata means that there is no metadata at a URL.
var errNoMetadata = errors.New("no metadata")

// find reads the metadata of the MCP server and of the authorization server that it names.
func (d discovery) find(ctx context.Context) (*authorizationServer, error) {
	issuer, err := d.issuer(ctx)
	if err != nil {
		return nil, err
	}
	for _, at := range metadataOf(issuer) {
		var found authorizationServer
		err := d.get(ctx, at, &found)
		if errors.Is(err, errNoMetadata) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if trimmed(found.Issuer) != trimmed(issuer.String()) { // RFC 8414, 3.3: otherwise, one server could impersonate another.
			return nil, fmt.Errorf("%s reports another issuer, %q", at, found.Issuer)
		}
		return &found, d.usable(&found)
	}
	return nil, fmt.Errorf("%s has no authorization server metadata", issuer)
}

// issuer returns the authorization server that the MCP server names, or the MCP server itself if it names none, as in the
// first version of the protocol.
func (d discovery) issuer(ctx context.Context) (*url.URL, error) {
	origin := &url.URL{Scheme: d.server.Scheme, Host: d.server.Host}
	for _, resource := range []*url.URL{d.server, origin} {
		var found protectedResource
		at := wellKnown(resource, protectedResourcePath)
		err := d.get(ctx, at, &found)
		if errors.Is(err, errNoMetadata) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if trimmed(found.Resource) != trimmed(resource.String()) { // RFC 9728, 3.3.
			return nil, fmt.Errorf("%s describes another resource, %q", at, found.Resource)
		}
		if len(found.AuthorizationServers) == 0 {
			return nil, fmt.Errorf("%s doesn't name an authorization server", at)
		}
		return d.named(found.AuthorizationServers[0])
	}
	return origin, nil
}

// usable returns an error if something required for a login is missing.
func (d discovery) usable(found *authorizationServer) error {
	for name, address := range map[string]string{
		"authorization_endpoint": found.AuthorizationEndpoint, "token_endpoint": found.TokenEndpoint, "registration_endpoint": found.RegistrationEndpoint,
	} {
		if address == "" {
			return fmt.Errorf("the authorization server has no %s", name)
		}
		if _, err := d.named(address); err != nil {
			return fmt.Errorf("the %s: %w", name, err)
		}
	}
	if !slices.Contains(found.ChallengeMethods, defaultChallengeMethod) {
		return errors.New("the authorization server doesn't support PKCE with S256")
	}
	return nil
}

// named validates a URL that another server has named. Only a server on this machine may name this machine.
func (d discovery) named(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("%q is not a valid URL", address)
	}
	if err := d.client.check(u); err != nil {
		return nil, fmt.Errorf("%q: %w", address, err)
	}
	if isLoopback(u.Hostname()) && !isLoopback(d.server.Hostname()) {
		return nil, fmt.Errorf("%q is on this machine, but the MCP server is not", address)
	}
	return u, nil
}

// registration is the request of RFC 7591.
type registration struct {
	ClientName    string   `json:"client_name"`
	RedirectURIs  []string `json:"redirect_uris"`
	GrantTypes    []string `json:"grant_types"`
	ResponseTypes []string `json:"response_types"`
	AuthMethod    string   `json:"token_endpoint_auth_method"`
}

// registered is the response to a registration, which may differ from the request.
type registered struct {
	ClientID     string `json:"client_id"`
	ClientSecret string `json:"client_secret"`
	AuthMethod   string `json:"token_endpoint_auth_method"`
}

// register registers this server as a client.
func (d discovery) register(ctx context.Context, at *authorizationServer, name, redirectURI string) error {
	at.authMethod = preferredAuthMethod(at.AuthMethods)
	body, err := json.Marshal(registration{
		ClientName: name, RedirectURIs: []string{redirectURI}, GrantTypes: []string{"authorization_code", "refresh_token"},
		ResponseTypes: []string{"code"}, AuthMethod: at.authMethod,
	})
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, at.RegistrationEndpoint, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	var client registered
	if err := d.do(request, &client); err != nil {
		return fmt.Errorf("registering a client: %w", err)
	}
	if client.ClientID == "" {
		return errors.New("the authorization server registered a client without an ID")
	}
	at.clientID, at.clientSecret = client.ClientID, client.ClientSecret
	if client.AuthMethod != "" {
		at.authMethod = client.AuthMethod
	}
	if !slices.Contains(api.TokenEndpointAuthMethods, api.TokenEndpointAuthMethod(at.authMethod)) {
		return fmt.Errorf("the authorization server registered a client with the token_endpoint_auth_method %q", at.authMethod)
	}
	return nil
}

// preferredAuthMethod prefers a method that authenticates the client. Without a list, RFC 8414 defaults to
// client_secret_basic.
func preferredAuthMethod(offered []string) string {
	for _, method := range []api.TokenEndpointAuthMethod{api.TokenEndpointAuthClientSecretPost, api.TokenEndpointAuthClientSecretBasic, api.TokenEndpointAuthNone} {
		if slices.Contains(offered, string(method)) {
			return string(method)
		}
	}
	return string(api.TokenEndpointAuthClientSecretBasic)
}

// get reads JSON; it returns errNoMetadata for a client error, which means that the server has none.
func (d discovery) get(ctx context.Context, address string, to any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return err
	}
	return d.do(request, to)
}

func (d discovery) do(request *http.Request, to any) error {
	request.Header.Set("Accept", "application/json")
	response, err := d.client.Do(request)
	if err != nil {
		if wrapped, is := errors.AsType[*url.Error](err); is {
			err = wrapped.Err
		}
		return fmt.Errorf("%s can't be reached: %w", request.URL, err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, limits.OutboundBytes+1))
	switch {
	case err != nil:
		return fmt.Errorf("reading the response of %s failed: %w", request.URL, err)
	case response.StatusCode >= 400 && response.StatusCode < 500 && request.Method == http.MethodGet:
		return errNoMetadata
	case response.StatusCode != http.StatusOK && response.StatusCode != http.StatusCreated:
		return fmt.Errorf("%s answers %d", request.URL, response.StatusCode)
	case len(body) > limits.OutboundBytes:
		return fmt.Errorf("%s returned more than %d bytes", request.URL, limits.OutboundBytes)
	case api.TooDeep(body) || json.Unmarshal(body, to) != nil:
		return fmt.Errorf("%s returned unexpected JSON", request.URL)
	}
	return nil
}

// wellKnown inserts a path between host and path, as in RFC 8414 and 9728.
func wellKnown(of *url.URL, path string) string {
	at := *of
	at.Path, at.RawPath = path+strings.TrimSuffix(of.Path, "/"), ""
	return at.String()
}

// metadataOf returns the URLs at which an authorization server may describe itself, in the order required by the protocol.
func metadataOf(issuer *url.URL) []string {
	all := []string{wellKnown(issuer, authorizationServerPath), wellKnown(issuer, openIDPath)}
	if appended := strings.TrimSuffix(issuer.String(), "/") + openIDPath; appended != all[1] {
		all = append(all, appended)
	}
	return all
}

// trimmed returns a URL without a trailing slash, which servers use inconsistently.
func trimmed(address string) string { return strings.TrimSuffix(address, "/") }
