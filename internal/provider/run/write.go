package run

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/poll"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/lookup"
	"github.com/agentplane/terraform-provider-agentplane/internal/rollout"
)

// defaultTimeout is how long logging and processing a run may take.
const defaultTimeout = 2 * time.Minute

// pending is the status of a run whose end the service has not processed.
const pending = "pending"

// logged is a run that the service has received, or may have received.
type logged struct {
	id uuid.UUID
	// doubt is the error of a request that leaves open whether the run has arrived; nil if it has.
	doubt error
	// projectID is empty while the service may still have to create the project.
	projectID, projectName string
	startTime              time.Time
	// tokens is true if the run has tokens for the service to count.
	tokens bool
}

// log sends the run, repeatedly if necessary: the provider chooses its ID, so it is logged only once. An error means that
// the run was provably not logged; if that is unknown, the result says so. timeout is the argument that limits ctx.
func (m logModel) log(ctx context.Context, c *client.Client, id uuid.UUID, now time.Time, timeout string) (logged, diag.Diagnostics) {
	run, diags := m.toRun(now)
	if diags.HasError() {
		return logged{}, diags
	}
	if !m.DeploymentID.IsNull() {
		project, diags := lookup.ProjectReference{DeploymentID: m.DeploymentID}.Find(ctx, c)
		if diags.HasError() {
			return logged{}, diags
		}
		run.projectID = project.ID
	}
	run.id = id
	sent := logged{
		id: id, projectID: run.projectID, projectName: run.projectName, startTime: run.startTime, tokens: statesTokens(run),
	}
	request, err := run.toIngest()
	if err == nil {
		err = c.LogRun(ctx, request)
	}
	if client.IsAmbiguous(err) {
		sent.doubt, err = err, nil
	}
	if err != nil {
		diags.Append(framework.Failure{
			Summary: "Cannot log the run", Names: names, TimeUp: fmt.Sprintf("The operation timed out. To allow more time, raise %s.", timeout),
		}.Diagnostics(err)...)
	}
	return sent, diags
}

// names are the arguments that have other names in the API.
var names = map[string]string{"session_id": "project_id", "session_name": "project_name"}

// process waits until the service has processed the run. The service has accepted the run, so neither a missing run nor an
// unexpected response ends the wait.
func (l *logged) process(ctx context.Context, c *client.Client, p poll.Policy, limit time.Duration) (api.Run, error) {
	return rollout.Follow(ctx, p, limit, client.IsNotFound, func(ctx context.Context) (api.Run, bool, error) {
		run, err := l.read(ctx, c)
		return run, err == nil && isProcessed(run, l.tokens), err
	})
}

func (l *logged) read(ctx context.Context, c *client.Client) (api.Run, error) {
	if l.projectID == "" { // The service may still have to create it.
		project, err := c.FindTracingProject(ctx, l.projectName)
		if err != nil {
			return api.Run{}, err
		}
		l.projectID = project.ID
	}
	run, err := c.GetRun(ctx, l.projectID, l.id.String(), fields...)
	if err != nil {
		return api.Run{}, err
	}
	return *run, nil
}

// isProcessed reports whether the service has processed the end of a run, and counted its tokens if it has some.
func isProcessed(run api.Run, tokens bool) bool {
	return !strings.EqualFold(run.Status, pending) && (!tokens || run.TotalTokens != nil && *run.TotalTokens > 0)
}

// notProcessed describes how a wait has ended, and what happens to the run. A cancellation is only a warning: Terraform exits
// by itself, with an error unless it invoked an action.
func (l *logged) notProcessed(err error, next string) diag.Diagnostics {
	if errors.Is(err, context.Canceled) {
		return framework.NewWarning("Stopped waiting for the logged run", "The run %s was sent, but its processing was not confirmed. %s", l.id, next)
	}
	if l.doubt != nil {
		return framework.NewError("Unknown whether the run was logged", "%s\n\nThe run %s was sent, but has not appeared in the service. %s",
			framework.Sentence(l.doubt.Error()), l.id, next)
	}
	const summary = "Cannot find the logged run"
	var deadline *poll.DeadlineError
	if errors.As(err, &deadline) && (deadline.Last == nil || client.IsNotFound(deadline.Last)) {
		return framework.NewError(summary, "The run %s was logged, but the service hasn't processed it in time. Check the load of the tracing "+
			"service, or allow more time. %s", l.id, next)
	}
	return framework.WithNextStep(framework.Failure{Summary: summary}.Diagnostics(err),
		fmt.Sprintf("The run %s was logged. %s", l.id, next))
}

// address is the URL of the run in the UI; null if the service doesn't report it.
func address(ctx context.Context, c *client.Client, run api.Run) types.String {
	found, err := c.GetRunURL(ctx, run.ProjectID, run.TraceID, run.ID)
	if err != nil {
		return types.StringNull() // The run exists; its URL isn't essential.
	}
	return types.StringValue(found)
}
