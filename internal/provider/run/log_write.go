package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/poll"
)

// defaultTimeout is how long a run may take to be logged and processed.
const defaultTimeout = 2 * time.Minute

// logged is a run that the service has got.
type logged struct {
	id uuid.UUID
	// projectID is empty while the service may still have to create the project.
	projectID, projectName string
	// tokens says that the service has tokens to find.
	tokens bool
}

// log sends the run, as often as it takes: it has its id from here, so it is logged once.
func (m logModel) log(ctx context.Context, c *client.Client, now time.Time) (logged, diag.Diagnostics) {
	run, diags := m.toRun(ctx, now)
	if diags.HasError() {
		return logged{}, diags
	}
	if !m.DeploymentID.IsNull() {
		project, diags := framework.ProjectReference{DeploymentID: m.DeploymentID}.Find(ctx, c)
		if diags.HasError() {
			return logged{}, diags
		}
		run.ProjectID = project.ID
	}
	var err error
	if run.ID, err = uuid.NewV7(); err == nil {
		err = c.LogRun(ctx, run)
	}
	sent := logged{id: run.ID, projectID: run.ProjectID, projectName: run.ProjectName, tokens: statesTokens(run)}
	if content, is := errors.AsType[*client.RunContentError](err); is {
		diags.AddWarning("Run logged otherwise", content.Error())
		err = nil
	}
	if err != nil {
		diags.Append(framework.Failure{
			Summary: "Cannot log the run",
			TimeUp:  "If the run " + run.ID.String() + " is there all the same, it is complete; the next apply logs another one.",
		}.Diagnostics(err)...)
	}
	return sent, diags
}

// process waits until the service has found in the run what there is to find.
func (l *logged) process(ctx context.Context, c *client.Client, p poll.Policy, limit time.Duration) (api.Run, error) {
	return poll.Until(ctx, p, limit, pending, func(ctx context.Context) (api.Run, bool, error) {
		if l.projectID == "" {
			project, err := c.FindTracingProject(ctx, l.projectName)
			if err != nil {
				return api.Run{}, false, err
			}
			l.projectID = project.ID
		}
		run, err := c.GetRun(ctx, l.projectID, l.id.String(), fields...)
		if err != nil {
			return api.Run{}, false, err
		}
		return *run, l.isProcessed(*run), nil
	})
}

func (l *logged) isProcessed(run api.Run) bool {
	return run.Status != "PENDING" && (!l.tokens || run.TotalTokens != nil && *run.TotalTokens > 0)
}

// pending are the errors of a run that isn't there yet, and those that pass.
func pending(err error) bool { return client.IsNotFound(err) || client.IsTransient(err) }

// notProcessed says what a wait has ended with.
func (l *logged) notProcessed(err error) diag.Diagnostics {
	return framework.Failure{
		Summary: "Cannot see the logged run",
		TimeUp: fmt.Sprintf("The run %s was logged, but the service hasn't processed it in time. Look at the load of the tracing "+
			"service, or allow more time.", l.id),
	}.Diagnostics(err)
}

// address is the page of the run; empty where the service doesn't tell.
func (l *logged) address(ctx context.Context, c *client.Client) string {
	found, err := c.GetRunURL(ctx, l.projectID, l.id.String(), l.id.String())
	if err != nil {
		return "" // The run is there, which is what matters.
	}
	return found
}
