package core

import (
	"errors"
	"testing"

	tfjson "github.com/hashicorp/terraform-json"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// Session runs commands one after another on its own state, for tests that can't know in advance which command fails.
// The state survives failures, as with a CLI.
type Session struct {
	runner  *runner
	planned *plan
}

// NewSession begins with an empty state. Every command starts new provider processes.
func NewSession(t *testing.T, factories map[string]func() (tfprotov6.ProviderServer, error)) *Session {
	t.Helper()
	providers := install(factories)
	return &Session{runner: &runner{t: t, state: newState(), installed: providers, providers: providers}}
}

// Configure replaces the configuration.
func (s *Session) Configure(source string) error {
	m, wrong := loadModule(".", nil, source)
	if len(wrong) > 0 {
		return wrong
	}
	s.runner.module = m
	return nil
}

// Plan runs "plan", or "plan -destroy", for the next Apply.
func (s *Session) Plan(destroy bool) (*tfjson.Plan, error) {
	shown, made, err := s.runner.plan(planOptions{destroy: destroy})
	s.planned = made
	return shown, err
}

// Apply runs "apply" with the plan of the last Plan.
func (s *Session) Apply() error {
	if s.planned == nil {
		return errors.New("there is no plan to apply")
	}
	made := s.planned
	s.planned = nil
	return s.runner.apply(made)
}

// State runs "show".
func (s *Session) State() (*tfjson.State, error) { return s.runner.show() }

// Import runs "import".
func (s *Session) Import(name, id string) error {
	at, err := s.runner.named(name)
	if err != nil {
		return err
	}
	c, err := s.runner.command()
	if err != nil {
		return err
	}
	adopted, wrong := c.adopt(s.runner.t.Context(), at, id)
	if len(wrong) > 0 {
		return wrong
	}
	s.runner.state = adopted
	return nil
}
