package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
)

// plane is a dev server in this process, with the requests that it has received.
type plane struct {
	server *devserver.Server
	web    *httptest.Server
	seeded devserver.Seeded

	mu       sync.Mutex
	requests int
}

// newPlane starts a dev server in memory. Requests for model prices would depend on the number of default ones.
func newPlane(ctx context.Context, rollout time.Duration) (*plane, error) {
	return openPlane(ctx, devserver.Config{Rollout: rollout, DevAPI: true, NoDefaultPrices: true})
}

func openPlane(ctx context.Context, config devserver.Config) (*plane, error) {
	server, err := devserver.New(config) //nolint:contextcheck // As in its own command.
	if err != nil {
		return nil, err
	}
	seeded, err := server.Seed(ctx, devserver.DefaultWorkspaceID)
	if err != nil {
		return nil, errors.Join(err, server.Close())
	}
	p := &plane{server: server, seeded: seeded}
	p.web = httptest.NewServer(p)
	return p, nil
}

func (p *plane) close() error {
	p.web.Close()
	return p.server.Close()
}

// ServeHTTP counts a request from the network, which requests by call are not.
func (p *plane) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.server.ServeHTTP(w, r)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requests++
}

// seen returns the number of requests since its last call.
func (p *plane) seen() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.requests
	p.requests = 0
	return n
}

// environment returns the environment variables of the provider and the configurations.
func (p *plane) environment() map[string]string {
	return map[string]string{
		"AGENTPLANE_BASE_URL": p.web.URL, "AGENTPLANE_API_KEY": "bench", "AGENTPLANE_WORKSPACE_ID": devserver.DefaultWorkspaceID,
		"TF_VAR_listener_id": p.seeded.ListenerID, "TF_VAR_k8s_namespace": p.seeded.K8sNamespaces[0],
	}
}

// environ is environment for a process.
func (p *plane) environ() []string {
	var variables []string
	for name, value := range p.environment() {
		variables = append(variables, name+"="+value)
	}
	return variables
}

// object is a JSON object.
type object = map[string]any

// call sends a request without the network and decodes the response into out unless that is nil.
func (p *plane) call(ctx context.Context, method, path string, body, out any) error {
	data, err := json.Marshal(body)
	if err != nil {
		return err
	}
	answer := httptest.NewRecorder()
	p.server.ServeHTTP(answer, httptest.NewRequestWithContext(ctx, method, "http://localhost"+path, bytes.NewReader(data)))
	if answer.Code >= http.StatusMultipleChoices {
		return fmt.Errorf("%s %s: status %d: %s", method, path, answer.Code, strings.TrimSpace(answer.Body.String()))
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(answer.Body.Bytes(), out)
}
