package session

import (
	"context"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/refusal"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/run"
)

// ensureDefault creates the first project of a workspace: clients query a project to determine their workspace.
func (s *Service) ensureDefault(ctx context.Context, workspaceID string) error {
	if _, known := s.inUse.Load(workspaceID); known {
		return nil
	}
	empty := false
	err := s.store.Read(ctx, func(tx *store.Tx) error {
		all, err := tx.Projects(workspaceID, store.ProjectFilter{})
		empty = len(all) == 0
		return err
	})
	if err == nil && empty {
		err = s.store.Do(ctx, func(tx *store.Tx) error { return s.EnsureProject(tx, workspaceID, run.DefaultProject, s.now()) })
	}
	if err == nil {
		s.inUse.Store(workspaceID, true)
	}
	return err
}

// resolvable are the kinds of objects that have a project. Experiments and evaluators don't exist in this service.
var resolvable = []string{"AGENT", "EXPERIMENT", "EVALUATOR"}

// resolveSession finds the project of an agent in an environment, whose name contains both.
func (s *Service) resolveSession(c *rest.Call) (rest.Answer, error) {
	p := rest.NewParams(c.Request)
	kind, id, environment := strings.ToUpper(api.OrEmpty(p.Text("kind"))), api.OrEmpty(p.Text("id")), api.OrEmpty(p.Text("environment"))
	p.NoOthers()
	if !slices.Contains(resolvable, kind) {
		p.Add("kind", refusal.EnumError, "Input should be one of "+strings.Join(resolvable, ", "))
	}
	if kind == "AGENT" && !run.AgentID.MatchString(id) {
		p.Add("id", "string_pattern_mismatch", "Input should be the name of an agent, such as support-bot")
	}
	if err := p.Err(); err != nil {
		return rest.Answer{}, err
	}
	if kind != "AGENT" {
		return rest.Answer{}, refusal.Missing("This service has only projects of agents, not of kind '%s'.", kind)
	}
	project, err := c.Tx.ProjectNamed(c.WorkspaceID, run.AgentProject(id, environment))
	if store.Missing(&err) {
		err = refusal.Missing("Agent '%s' has no project in environment '%s'.", id, environment)
	}
	return rest.OK(map[string]string{"session_id": project.ID}), err
}
