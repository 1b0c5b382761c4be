package devserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/controlplane"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
)

// Fixtures are keys, and objects that workspaces start with.
type Fixtures struct {
	Keys       []Key
	workspaces []workspaceFixtures
}

type workspaceFixtures struct {
	ID string `json:"id"` // Default: DefaultWorkspaceID.
	controlplane.Fixtures
	ModelPrices []json.RawMessage `json:"model_prices"` // As POST /api/v1/model-price-map takes them.
}

// ReadFixtures reads a JSON document: {"keys": [{"value", "workspaces", "user"}], "workspaces": [{"id", "listeners", "integrations",
// "model_prices", "deployments"}]}.
func ReadFixtures(r io.Reader) (*Fixtures, error) {
	var file struct {
		Keys []struct {
			Value      string   `json:"value"`
			Workspaces []string `json:"workspaces"` // Default: DefaultWorkspaceID.
			User       string   `json:"user"`
		} `json:"keys"`
		Workspaces []workspaceFixtures `json:"workspaces"`
	}
	dec := json.NewDecoder(r)
	dec.DisallowUnknownFields()
	err := dec.Decode(&file)
	if _, end := dec.Token(); err == nil && !errors.Is(end, io.EOF) {
		err = errors.New("there is more after the JSON object")
	}
	if err != nil {
		return nil, fmt.Errorf("fixtures: %w", err)
	}
	fixtures := &Fixtures{workspaces: file.Workspaces}
	for i, key := range file.Keys {
		if key.Workspaces == nil {
			key.Workspaces = []string{DefaultWorkspaceID}
		}
		checked, err := Key(key).Canonical()
		if err != nil {
			return nil, fmt.Errorf("fixtures: keys[%d]: %w", i, err)
		}
		fixtures.Keys = append(fixtures.Keys, checked)
	}
	for i := range fixtures.workspaces {
		w := &fixtures.workspaces[i]
		if w.ID == "" {
			w.ID = DefaultWorkspaceID
		}
		id, err := uuid.Parse(w.ID)
		if err != nil {
			return nil, fmt.Errorf("fixtures: workspaces[%d].id %q is not a UUID: use one like %s", i, w.ID, DefaultWorkspaceID)
		}
		w.ID = id.String()
	}
	return fixtures, nil
}

// Register adds the objects that don't exist yet. They are shown at once, whatever Config.Lag is.
func (s *Server) Register(ctx context.Context, fixtures *Fixtures) error {
	for i, w := range fixtures.workspaces {
		err := s.rest.Do(ctx, w.ID, func(c *rest.Call) error {
			for i, price := range w.ModelPrices {
				if err := s.tracing.Prices.Add(c.Tx, c.WorkspaceID, price, c.Now); err != nil {
					return fmt.Errorf("model_prices[%d]: %w", i, err)
				}
			}
			return s.control.Register(c, w.Fixtures)
		})
		if err != nil {
			return fmt.Errorf("fixtures: workspaces[%d].%w", i, err)
		}
	}
	return s.rest.ShowAll(ctx)
}
