package deployment

import (
	"context"
	"sync/atomic"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// readOneByOne is how many single reads a plan sends in sequence before it lists instead.
const readOneByOne = 10

// sharedList is the list of a workspace's deployments, read during a plan and only as far as needed. A single read is sent
// by itself, because the workspace may have a thousand other deployments. Concurrent reads, and long sequences of reads,
// share the pages of the list: a plan of a thousand deployments needs tens of requests. It never reads more pages than
// there are reads, so the list never costs more than the reads would.
type sharedList struct {
	pages    *client.Pager[api.Deployment]
	inFlight atomic.Int64
	reads    atomic.Int64
	read     atomic.Int64 // Pages.
	// closed: this process has changed a deployment, or the list could not be read.
	closed atomic.Bool

	// whole: every page has been read.
	whole atomic.Bool

	turn  chan struct{} // Held while the list is read or searched.
	byID  map[string]api.Deployment
	named map[string][]api.Deployment
}

func newSharedList(c *client.Client) *sharedList {
	return &sharedList{
		pages: c.PageDeployments(), turn: make(chan struct{}, 1),
		byID: map[string]api.Deployment{}, named: map[string][]api.Deployment{},
	}
}

// close ends the use of the list, because deployments are about to change.
func (l *sharedList) close() { l.closed.Store(true) }

// look calls ask, which sends a separate request, unless found finds the result in the list.
func (l *sharedList) look(ctx context.Context, found func() bool, ask func() error) error {
	defer l.inFlight.Add(-1)
	alone, reads := l.inFlight.Add(1) == 1, l.reads.Add(1)
	if alone && reads <= readOneByOne && l.read.Load() == 0 || !l.reach(ctx, found) {
		return ask()
	}
	return nil
}

// reach reads further pages until found returns true, and returns whether it did.
func (l *sharedList) reach(ctx context.Context, found func() bool) bool {
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case <-ctx.Done():
		return false
	}
	for !l.closed.Load() {
		if found() {
			return true
		}
		if l.pages.Done() || l.read.Load() >= l.reads.Load() {
			return false
		}
		next, err := l.pages.Next(ctx)
		if err != nil {
			l.closed.Store(ctx.Err() == nil) // The single requests that follow return the better error.
			return false
		}
		l.read.Add(1)
		l.whole.Store(l.pages.Done())
		for _, deployment := range next {
			l.byID[deployment.ID] = deployment
			l.named[deployment.Name] = append(l.named[deployment.Name], deployment)
		}
	}
	return false
}

// deployment returns the deployment with an ID. One that isn't in the list is requested: neither the list nor a single answer proves
// that it is gone.
func (l *sharedList) deployment(ctx context.Context, c *client.Client, id string) (deployment *api.Deployment, err error) {
	err = l.look(ctx, func() bool {
		listed, found := l.byID[id]
		deployment = &listed
		return found
	}, func() error {
		if l.whole.Load() {
			deployment, err = c.GetDeployment(ctx, id)
		} else {
			deployment, err = c.FindDeployment(ctx, id)
		}
		return err
	})
	return deployment, err
}

// withName returns the deployments that have a name, which takes the whole list.
func (l *sharedList) withName(ctx context.Context, c *client.Client, name string) (named []api.Deployment, err error) {
	err = l.look(ctx, func() bool {
		named = l.named[name]
		return l.pages.Done()
	}, func() error {
		named, err = client.Collect(c.ListDeployments(ctx, client.DeploymentFilter{Name: name}))
		return err
	})
	return named, err
}

// list returns the list of a workspace for the running plan.
func (r *deploymentResource) list(workspaceID types.String) *sharedList {
	return r.sharedList("deployments/", workspaceID)
}

// laterList returns a second list, whose reading begins later.
func (r *deploymentResource) laterList(workspaceID types.String) *sharedList {
	return r.sharedList("deployments again/", workspaceID)
}

func (r *deploymentResource) sharedList(key string, workspaceID types.String) *sharedList {
	c := r.In(workspaceID)
	l, _ := framework.Remember(r.Memo, key+c.WorkspaceID(), func() (*sharedList, error) { return newSharedList(c), nil })
	return l
}
