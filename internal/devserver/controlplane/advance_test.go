package controlplane_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// TestLookingChangesNothing checks that states and times depend only on the clock, not on how often they are read.
func TestLookingChangesNothing(t *testing.T) {
	t.Parallel()
	type world struct {
		Deployments []api.Deployment
		Revisions   map[string][]api.Revision
	}
	run := func(look bool) world {
		p := devservertest.New(t, devserver.Config{Rollout: 40 * time.Second})
		devservertest.Must(t, p.Arm(devserver.Fault{Skip: 2, Rollout: &devserver.RolloutFault{State: api.RevisionDeploying}}))
		advance := func(seconds int) {
			for range seconds {
				p.Clock.Advance(time.Second)
				if look {
					p.Do(http.MethodGet, "/v2/deployments", nil).Want(http.StatusOK)
				}
			}
		}
		p.Create(devservertest.ImageRequest("quiet"))
		advance(3)
		busy := p.Create(devservertest.ImageRequest("busy"))
		advance(50)
		p.Patch(busy.ID, object{"source_revision_config": object{"image_uri": "agent:2"}}) // This one fails.
		advance(41)
		p.Patch(busy.ID, object{"source_revision_config": object{"image_uri": "agent:3"}})
		advance(7)
		p.Patch(busy.ID, object{"source_revision_config": object{"image_uri": "agent:4"}})
		gone := p.Create(devservertest.ImageRequest("gone"))
		advance(2)
		p.Do(http.MethodDelete, "/v2/deployments/"+gone.ID, nil).Want(http.StatusNoContent)
		advance(60)
		is := world{Deployments: devservertest.Get[api.List[api.Deployment]](p, "/v2/deployments").Resources, Revisions: map[string][]api.Revision{}}
		for _, d := range is.Deployments {
			is.Revisions[d.Name] = devservertest.Get[api.List[api.Revision]](p, "/v2/deployments/"+d.ID+"/revisions").Resources
		}
		return is
	}
	seldom, often := run(false), run(true)
	ids := cmp.Options{
		cmpopts.IgnoreFields(api.Deployment{}, "ID", "LatestRevisionID", "ActiveRevisionID"),
		cmpopts.IgnoreFields(api.Revision{}, "ID"),
	}
	devservertest.Same(t, "frequent reads changed the result", seldom, often, ids)
	var statuses []api.RevisionStatus
	for _, r := range seldom.Revisions["busy"] {
		statuses = append(statuses, r.Status)
	}
	want := []api.RevisionStatus{api.RevisionDeployed, api.RevisionSkipped, api.RevisionDeployFailed, api.RevisionDeployed}
	devservertest.Same(t, "revisions", want, statuses)
}

// TestFailureKeepsTheActiveRevision checks that the previous revision stays active when a rollout fails.
func TestFailureKeepsTheActiveRevision(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	first := p.Create(devservertest.ImageRequest("chat"))
	devservertest.Must(t, p.Arm(devserver.Fault{Times: 2, Rollout: &devserver.RolloutFault{State: api.RevisionDeploying}}))
	for range 2 {
		p.Patch(first.ID, object{"source_revision_config": object{"image_uri": "agent:broken"}})
	}
	got := p.Deployment(first.ID)
	if *got.ActiveRevisionID != *first.LatestRevisionID || *got.ImageVersion != "1.0" {
		t.Errorf("revision %s with version %s is active, want the first", *got.ActiveRevisionID, *got.ImageVersion)
	}
	if *got.SourceRevisionConfig.ImageURI != "agent:broken" {
		t.Errorf("source_revision_config shows %s, want the latest revision's", *got.SourceRevisionConfig.ImageURI)
	}
	want := []api.RevisionStatus{api.RevisionDeployFailed, api.RevisionDeployFailed, api.RevisionDeployed}
	devservertest.Same(t, "revisions", want, p.Revisions(first.ID))
}

// TestManyClients checks that names, statuses and revisions stay consistent while many clients create, change, list and delete.
func TestManyClients(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	var wg sync.WaitGroup
	for i := range 6 {
		wg.Go(func() {
			path := "/v2/deployments"
			name := fmt.Sprintf("d%d", i%3) // Two clients share each name.
			created := p.Do(http.MethodPost, path, devservertest.ImageRequest(name))
			if created.Status != http.StatusCreated {
				return
			}
			d := devservertest.Into[api.Deployment](created)
			for range 3 {
				p.Do(http.MethodPatch, path+"/"+d.ID, object{"secrets": []any{}})
				p.Do(http.MethodGet, path+"?limit=2", nil)
			}
			if deleted := p.Do(http.MethodDelete, path+"/"+d.ID, nil); deleted.Status != http.StatusNoContent {
				t.Errorf("delete: status %d, want 204: %s", deleted.Status, deleted.Body)
			}
		})
	}
	wg.Wait()
	if left := devservertest.Get[api.List[api.Deployment]](p, "/v2/deployments").Resources; len(left) > 0 {
		t.Errorf("deployments left = %v, want none", left)
	}
	for _, seen := range p.Requests() {
		if seen.Status >= 500 {
			t.Errorf("%s %s: status %d, want none above 499", seen.Method, seen.Path, seen.Status)
		}
	}
}

// TestClockGoesBack checks that no revision returns to an earlier state, in the API and on the page.
func TestClockGoesBack(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{Rollout: time.Minute})
	d := p.Create(devservertest.ImageRequest("chat"))
	p.Clock.Advance(40 * time.Second)
	if got := p.Revisions(d.ID); !cmp.Equal(got, []api.RevisionStatus{api.RevisionDeploying}) {
		t.Fatalf("revisions after 40 s = %v, want DEPLOYING", got)
	}
	p.Clock.Advance(-35 * time.Second)
	if got := p.Revisions(d.ID); !cmp.Equal(got, []api.RevisionStatus{api.RevisionDeploying}) {
		t.Errorf("revisions after the clock went back = %v, want DEPLOYING", got)
	}
	page := string(p.Do(http.MethodGet, "/ui/workspaces/"+devservertest.WorkspaceA+"/deployments/"+d.ID, nil).Want(http.StatusOK).Body)
	if !strings.Contains(page, "DEPLOYING") {
		t.Error("the page doesn't show DEPLOYING after the clock went back")
	}
	p.Patch(d.ID, object{"source_revision_config": object{"image_uri": "agent:2"}})
	if got := p.Revisions(d.ID); !cmp.Equal(got, []api.RevisionStatus{api.RevisionQueued, api.RevisionSkipped}) {
		t.Errorf("revisions after a new one = %v, want QUEUED and SKIPPED", got)
	}
	p.Clock.Advance(time.Hour)
	if got := p.Revisions(d.ID); got[0] != api.RevisionDeployed {
		t.Errorf("revisions in the end = %v, want the latest DEPLOYED", got)
	}
}
