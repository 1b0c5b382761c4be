package devserver_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
)

// How often anybody looks changes nothing: states and times follow from the clock alone.
func TestLookingChangesNothing(t *testing.T) {
	t.Parallel()
	type world struct {
		Deployments []api.Deployment
		Revisions   map[string][]api.Revision
	}
	run := func(look bool) world {
		p := newPlane(t, devserver.Config{Rollout: 40 * time.Second})
		if err := p.Arm(devserver.Fault{Skip: 2, Rollout: &devserver.RolloutFault{State: api.RevisionDeploying}}); err != nil {
			t.Fatal(err)
		}
		advance := func(seconds int) {
			for range seconds {
				p.clock.Advance(time.Second)
				if look {
					p.do(http.MethodGet, "/v2/deployments", nil).want(http.StatusOK)
				}
			}
		}
		p.create(imageRequest("quiet"))
		advance(3)
		busy := p.create(imageRequest("busy"))
		advance(50)
		p.patch(busy.ID, object{"source_revision_config": object{"image_uri": "agent:2"}}) // This one fails.
		advance(41)
		p.patch(busy.ID, object{"source_revision_config": object{"image_uri": "agent:3"}})
		advance(7)
		p.patch(busy.ID, object{"source_revision_config": object{"image_uri": "agent:4"}})
		gone := p.create(imageRequest("gone"))
		advance(2)
		p.do(http.MethodDelete, "/v2/deployments/"+gone.ID, nil).want(http.StatusNoContent)
		advance(60)
		is := world{Deployments: get[api.List[api.Deployment]](p, "/v2/deployments").Resources, Revisions: map[string][]api.Revision{}}
		for _, d := range is.Deployments {
			is.Revisions[d.Name] = get[api.List[api.Revision]](p, "/v2/deployments/"+d.ID+"/revisions").Resources
		}
		return is
	}
	seldom, often := run(false), run(true)
	ids := cmp.Options{
		cmpopts.IgnoreFields(api.Deployment{}, "ID", "LatestRevisionID", "ActiveRevisionID"),
		cmpopts.IgnoreFields(api.Revision{}, "ID"),
	}
	if diff := cmp.Diff(seldom, often, ids); diff != "" {
		t.Errorf("looking changed something (-seldom +often):\n%s", diff)
	}
	var statuses []api.RevisionStatus
	for _, r := range seldom.Revisions["busy"] {
		statuses = append(statuses, r.Status)
	}
	want := []api.RevisionStatus{api.RevisionDeployed, api.RevisionSkipped, api.RevisionDeployFailed, api.RevisionDeployed}
	if diff := cmp.Diff(want, statuses); diff != "" {
		t.Errorf("revisions (-want +got):\n%s", diff)
	}
}

// A failed rollout leaves the previous revision serving.
func TestFailureKeepsTheActiveRevision(t *testing.T) {
	t.Parallel()
	p := newPlane(t, devserver.Config{})
	first := p.create(imageRequest("chat"))
	if err := p.Arm(devserver.Fault{Times: 2, Rollout: &devserver.RolloutFault{State: api.RevisionDeploying}}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		p.patch(first.ID, object{"source_revision_config": object{"image_uri": "agent:broken"}})
	}
	got := p.deployment(first.ID)
	if *got.ActiveRevisionID != *first.LatestRevisionID || *got.ImageVersion != "1.0" {
		t.Errorf("revision %s with version %s is active, want the first", *got.ActiveRevisionID, *got.ImageVersion)
	}
	if *got.SourceRevisionConfig.ImageURI != "agent:broken" {
		t.Errorf("source_revision_config shows %s, want the latest revision's", *got.SourceRevisionConfig.ImageURI)
	}
	want := []api.RevisionStatus{api.RevisionDeployFailed, api.RevisionDeployFailed, api.RevisionDeployed}
	if diff := cmp.Diff(want, p.revisions(first.ID)); diff != "" {
		t.Errorf("revisions (-want +got):\n%s", diff)
	}
}

// Names, statuses and revisions stay consistent while many clients create, change, list and delete.
func TestManyClients(t *testing.T) {
	t.Parallel()
	p := newPlane(t, devserver.Config{})
	var wg sync.WaitGroup
	for i := range 6 {
		wg.Go(func() {
			path := "/v2/deployments"
			name := fmt.Sprintf("d%d", i%3) // Two clients share each name.
			created := p.do(http.MethodPost, path, imageRequest(name))
			if created.status != http.StatusCreated {
				return
			}
			d := into[api.Deployment](created)
			for range 3 {
				p.do(http.MethodPatch, path+"/"+d.ID, object{"secrets": []any{}})
				p.do(http.MethodGet, path+"?limit=2", nil)
			}
			if deleted := p.do(http.MethodDelete, path+"/"+d.ID, nil); deleted.status != http.StatusNoContent {
				t.Errorf("delete answers %d: %s", deleted.status, deleted.body)
			}
		})
	}
	wg.Wait()
	if left := get[api.List[api.Deployment]](p, "/v2/deployments").Resources; len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	for _, seen := range p.Requests() {
		if seen.Status >= 500 {
			t.Errorf("%s %s answers %d", seen.Method, seen.Path, seen.Status)
		}
	}
}

// Secret values and keys are in the data and in answers, and nowhere else.
func TestNothingSecretIsLogged(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	p := newPlane(t, devserver.Config{
		Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Keys:   []devserver.Key{{Value: "hush-key", Workspaces: []string{workspaceA}}},
	})
	keyed := p.as("X-Api-Key", "hush-key")
	secrets := object{"secrets": []any{object{"name": "A", "value": "hush-value"}}}
	d := keyed.create(imageRequest("chat", secrets))
	keyed.patch(d.ID, secrets)
	keyed.do(http.MethodPost, "/v2/deployments", imageRequest("chat", secrets)).want(http.StatusConflict)
	keyed.do(http.MethodPost, "/v2/deployments", imageRequest("no_name", secrets)).want(http.StatusUnprocessableEntity)
	p.as("X-Api-Key", "hush-other").do(http.MethodPost, "/v2/deployments", imageRequest("b", secrets)).want(http.StatusUnauthorized)
	recorded := keyed.do(http.MethodGet, "/dev/requests", nil).want(http.StatusOK)
	p.stop() // The log is complete.
	for where, text := range map[string]string{"log": log.String(), "record": string(recorded.body)} {
		if strings.Contains(text, "hush") {
			t.Errorf("the %s shows a secret: %s", where, text)
		}
		if !strings.Contains(text, "/v2/deployments") {
			t.Errorf("the %s shows no request: %s", where, text)
		}
	}
}

func TestManualClock(t *testing.T) {
	t.Parallel()
	clock := devserver.NewManualClock(start)
	if first, second := clock.Now(), clock.Now(); !first.Equal(start) || !second.Equal(start) {
		t.Errorf("the clock runs by itself: %s, %s", first, second)
	}
	clock.Advance(time.Hour)
	clock.Advance(time.Minute)
	if now, want := clock.Now(), start.Add(61*time.Minute); !now.Equal(want) {
		t.Errorf("the clock stands at %s, want %s", now, want)
	}
}
