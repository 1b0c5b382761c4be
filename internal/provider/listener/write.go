package listener

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/poll"
	"github.com/agentplane/terraform-provider-agentplane/internal/rollout"
)

// deleteUnused deletes a listener once no deployment uses it, and waits for those that are being deleted: the listener removes them from
// their compute. It is not documented whether the service itself refuses. While waiting, no unexpected response ends the operation.
func deleteUnused(ctx context.Context, c *client.Client, policy poll.Policy, limit time.Duration, id string) error {
	waiting := false
	_, err := rollout.Until(ctx, policy, limit, isGoing, func(ctx context.Context) (struct{}, bool, error) {
		err := unused(ctx, c, id)
		if err == nil {
			if err = c.Listeners().Delete(ctx, id); client.IsNotFound(err) {
				err = nil // It is already gone.
			}
		}
		_, inUse := errors.AsType[*inUseError](err)
		waiting = waiting || isGoing(err)
		return struct{}{}, err == nil || inUse || !waiting, err
	})
	return client.DeletionEnded(err, false)
}

// unused returns an error if deployments use the listener.
func unused(ctx context.Context, c *client.Client, id string) error {
	deployments, err := client.Collect(c.ListDeployments(ctx, client.DeploymentFilter{}))
	if err != nil {
		return err
	}
	var using, going []string
	for _, deployment := range deployments {
		listenerID := deployment.SourceConfig.ListenerID
		switch {
		case listenerID == nil || !strings.EqualFold(*listenerID, id):
		case deployment.Status.BeingDeleted():
			going = append(going, deployment.Name)
		default:
			using = append(using, deployment.Name)
		}
	}
	slices.Sort(using)
	slices.Sort(going)
	switch {
	case len(using) > 0:
		return &inUseError{using}
	case len(going) > 0:
		tflog.Info(ctx, "waiting for deployments that are being deleted", map[string]any{"listener_id": id, "deployments": going})
		return &goingError{going}
	}
	return nil
}

// inUseError is the error for a listener that deployments use.
type inUseError struct{ deployments []string }

func (e *inUseError) Error() string {
	return "it is used by " + named(e.deployments)
}

// goingError is the error for a listener whose deployments are still being deleted.
type goingError struct{ deployments []string }

func (e *goingError) Error() string {
	return "it is still in use by " + named(e.deployments) + ", which is being deleted"
}

func isGoing(err error) bool {
	_, is := errors.AsType[*goingError](err)
	return is
}

// named lists the names of deployments for a message.
func named(deployments []string) string {
	quoted := make([]string, len(deployments))
	for i, name := range deployments {
		quoted[i] = fmt.Sprintf("%q", name)
	}
	if len(quoted) == 1 {
		return "deployment " + quoted[0]
	}
	return fmt.Sprintf("%d deployments: %s", len(quoted), strings.Join(quoted, ", "))
}
