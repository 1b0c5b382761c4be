package controlplane

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// Fixtures are objects that a workspace starts with, in the words of the neutral dialect. Each may have an ID.
type Fixtures struct {
	Listeners    []json.RawMessage `json:"listeners"`    // As POST /dev/listeners takes them.
	Integrations []json.RawMessage `json:"integrations"` // As POST /dev/integrations takes them.
	Deployments  []json.RawMessage `json:"deployments"`  // As POST /v2/deployments takes them.
}

type deploymentFixture struct {
	ID api.Optional[api.UUID] `json:"id,omitzero"`
	api.DeploymentCreateRequest
}

// Register adds the fixtures that don't exist yet: listeners and deployments by ID or name, integrations by name. Deployments are
// deployed at once.
func (s *Service) Register(c *rest.Call, fixtures Fixtures) error {
	err := each(c, "listeners", fixtures.Listeners, func(f listenerRequest) error {
		row, err := f.row()
		if err != nil {
			return err
		}
		_, err = EnsureListener(c, row)
		return err
	})
	if err != nil {
		return err
	}
	err = each(c, "integrations", fixtures.Integrations, func(f integrationRequest) error {
		_, err := ensureIntegration(c, f)
		return err
	})
	if err != nil {
		return err
	}
	atOnce := *s
	atOnce.cfg.Rollout = 0
	return each(c, "deployments", fixtures.Deployments, func(f deploymentFixture) error {
		if _, err := c.Tx.DeploymentNamed(c.WorkspaceID, f.Name); !errors.Is(err, store.ErrNotFound) {
			return err
		}
		wanted, err := wantedDeployment(c, f.DeploymentCreateRequest)
		if err != nil {
			return err
		}
		api.Set(&wanted.ID, asText(f.ID))
		return atOnce.insertDeployment(c, wanted)
	})
}

// each decodes the elements of a list of fixtures. Unlike in a request, an unknown field is an error.
func each[T any](c *rest.Call, list string, elements []json.RawMessage, register func(T) error) error {
	for i, element := range elements {
		decoded, err := form.Decode[T](element, c.Dialect)
		if err == nil {
			strict := json.NewDecoder(bytes.NewReader(element))
			strict.DisallowUnknownFields()
			err = strict.Decode(new(T))
		}
		if err == nil {
			err = register(decoded)
		}
		if err != nil {
			return fmt.Errorf("%s[%d]: %w", list, i, err)
		}
	}
	return nil
}
