package providertest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
)

// Account has access to a workspace of a control plane. It uses neutral words, whatever the dialect of the control plane.
type Account struct {
	URL                 string
	APIKey, WorkspaceID string
	Dialect             *api.Dialect
	// WithoutLag makes a dev server that lags answer with its current state, and show changes at once.
	WithoutLag bool
}

// errNoInstallation means that only the dev server is available.
var errNoInstallation = errors.New("no installation is named: set AGENTPLANE_BASE_URL, or AGENTPLANE_REGION for a cloud")

// isolated shares no connections with http.DefaultClient: an httptest.Server that a parallel test stops closes those.
var isolated = &http.Client{Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true}}

// Installation returns the account of the real control plane that the environment configures, with the provider's variables.
func Installation() (*Account, error) { return installation(os.Getenv) }

func installation(getenv func(string) string) (*Account, error) {
	dialect, err := api.ParseDialect(getenv("AGENTPLANE_DIALECT"))
	if err != nil {
		return nil, fmt.Errorf("AGENTPLANE_DIALECT: %w", err)
	}
	a := &Account{
		URL: strings.TrimRight(getenv("AGENTPLANE_BASE_URL"), "/"), Dialect: dialect,
		APIKey: getenv("AGENTPLANE_API_KEY"), WorkspaceID: getenv("AGENTPLANE_WORKSPACE_ID"),
	}
	region := getenv("AGENTPLANE_REGION")
	if a.URL == "" && region == "" {
		return nil, errNoInstallation
	}
	if product := dialect.Product; product != nil {
		a.APIKey = cmp.Or(a.APIKey, getenv(product.VariablePrefix+"API_KEY"))
		a.WorkspaceID = cmp.Or(a.WorkspaceID, getenv(product.VariablePrefix+"WORKSPACE_ID"), getenv(product.VariablePrefix+"TENANT_ID"))
		if prefix, known := product.Regions[region]; known && a.URL == "" {
			a.URL = "https://" + prefix + product.ControlPlane
		}
	}
	if a.URL == "" {
		return nil, fmt.Errorf("AGENTPLANE_REGION: the dialect %q has no hosts in region %q", dialect.Name, region)
	}
	return a, nil
}

// StatusError is a response without a success status.
type StatusError struct {
	Method, Path string
	Status       int
	Body         string
}

func (e *StatusError) Error() string {
	return fmt.Sprintf("%s %s: status %d: %s", e.Method, e.Path, e.Status, e.Body)
}

// Call sends a request and decodes the response into out, unless that is nil.
func (a *Account) Call(ctx context.Context, method, path string, body, out any) error {
	var encoded []byte
	if body != nil {
		var err error
		if encoded, err = json.Marshal(body); err != nil {
			return err
		}
	}
	request, err := http.NewRequestWithContext(ctx, method, a.URL+a.Dialect.Path(path), bytes.NewReader(a.translated(path, encoded)))
	if err != nil {
		return err
	}
	request.Header.Set("X-Api-Key", a.APIKey)
	if a.WorkspaceID != "" {
		request.Header.Set("X-Tenant-Id", a.WorkspaceID)
	}
	if a.WithoutLag {
		request.Header.Set(devserver.LagHeader, devserver.LagNone)
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := isolated.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode >= http.StatusMultipleChoices {
		return &StatusError{Method: method, Path: path, Status: response.StatusCode, Body: string(answer)}
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(a.translated(path, answer), out)
}

// translated translates a body, unless its operation has the same words in all dialects.
func (a *Account) translated(path string, body []byte) []byte {
	if outside(path) {
		return body
	}
	return a.Dialect.Body(body)
}
