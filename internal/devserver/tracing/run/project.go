package run

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/ingest"
)

// DefaultProject is the project of runs that don't name one.
const DefaultProject = "default"

// projectOf is the project that a run names, by its ID or its name.
type projectOf struct{ id, name string }

// checkProject refuses a run whose project can't exist.
func (d *draft) checkProject(runID string, of projectOf) error {
	switch {
	case len(of.name) > limits.ProjectName && of.id == "":
		return refuseRun(form.Unprocessable, runID, []string{fmt.Sprintf("session_name has %d bytes, but at most %d are allowed", len(of.name), limits.ProjectName)})
	case of.id == "" || d.projects[of.id]:
		return nil
	}
	d.projects[of.id] = true
	return d.read(func(tx *store.Tx) error {
		_, err := d.ensureProject(tx, runID, of)
		return err
	})
}

// ensureProject finds the project of a run. A missing project is created by name, but not by ID.
func (d *draft) ensureProject(tx *store.Tx, runID string, of projectOf) (string, error) {
	if of.id != "" {
		_, err := tx.Project(d.workspaceID, of.id)
		if errors.Is(err, store.ErrNotFound) {
			// Not 404: clients would conclude that the path doesn't exist, and switch to another one permanently.
			return "", refuseRun(form.Unprocessable, runID, []string{"session_id " + of.id +
				" is not a project of this workspace: create it, or send session_name, which creates the project if it doesn't exist"})
		}
		return of.id, err
	}
	name := cmp.Or(of.name, DefaultProject)
	project, err := tx.ProjectNamed(d.workspaceID, name)
	if store.Missing(&err) {
		project = store.Project{ID: uuid.NewString(), WorkspaceID: d.workspaceID, Name: name, StartTime: d.now}
		err = tx.EnsureProject(project)
	}
	return project.ID, err
}

// AgentID is the pattern of agent names.
var AgentID = regexp.MustCompile("^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$")

// agentAddress is what runs contain instead of a project.
var agentAddress = regexp.MustCompile("^lrn:agents/([a-z0-9-]+)/environments/([A-Za-z0-9_-]+)$")

// projectAt returns the project name for a run's agent; empty if it names none.
func projectAt(said layers) string {
	for _, fields := range []ingest.Fields{said.patch, said.post} {
		var address string
		if json.Unmarshal(fields["address"], &address) != nil {
			continue
		}
		if found := agentAddress.FindStringSubmatch(address); len(found) > 0 && AgentID.MatchString(found[1]) {
			return AgentProject(found[1], found[2])
		}
	}
	return ""
}

// AgentProject returns the project name of an agent in an environment.
func AgentProject(id, environment string) string { return id + "/" + environment }
