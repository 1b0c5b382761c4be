package deployment

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
)

const (
	posting  = "POST /v2/deployments"
	patching = "PATCH /v2/deployments/{deployment_id}"
	reading  = "GET /v2/deployments/{deployment_id}"
	deleting = "DELETE /v2/deployments/{deployment_id}"
	listing  = "GET /v2/deployments"
)

func TestWriterCreate(t *testing.T) {
	t.Parallel()
	t.Run("the name becomes free", func(t *testing.T) {
		t.Parallel()
		p := newPlane(t, func(c *devserver.Config) { c.Rollout = 10 * time.Minute }) // The deletion takes longer than nameTime.
		before := p.create(t, "chat")
		if err := p.client.DeleteDeployment(t.Context(), before.ID, false); err != nil {
			t.Fatal(err)
		}
		created, _, err := p.writer().create(t.Context(), waitLimit, imageRequest("chat"))
		if err != nil {
			t.Fatal(err)
		}
		if created.ID == before.ID || p.clock.slept == 0 {
			t.Errorf("created %s after %d sleeps, want a new ID after waiting", created.ID, p.clock.slept)
		}
	})
	t.Run("the name is taken", func(t *testing.T) {
		t.Parallel()
		p := newPlane(t)
		p.create(t, "chat")
		_, _, err := p.writer().create(t.Context(), waitLimit, imageRequest("chat"))
		if waited := p.clock.Now().Sub(newSteppedClock().Now()); client.StatusOf(err) != http.StatusConflict || waited < nameTime || waited > 2*nameTime {
			t.Errorf("error = %v after %s, want a conflict after about %s", err, waited, nameTime)
		}
	})
	for name, faults := range map[string][]devserver.Fault{
		"gone between refusal and look":              {{Match: posting, Status: 409}},
		"it can't be told who has the name":          {{Match: posting, Status: 409}, {Match: listing, Status: 500}},
		"it can't be told any more who has the name": {{Match: listing, Skip: 1, Status: 418}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlane(t)
			if len(faults) == 1 && faults[0].Match == listing {
				if err := p.client.DeleteDeployment(t.Context(), p.create(t, "chat").ID, false); err != nil {
					t.Fatal(err)
				}
			}
			p.arm(t, faults...)
			if _, _, err := p.writer().create(t.Context(), waitLimit, imageRequest("chat")); err != nil {
				t.Error(err)
			}
		})
	}
	t.Run("the deletion takes too long", func(t *testing.T) {
		t.Parallel()
		p := newPlane(t)
		before := p.create(t, "chat")
		if err := p.client.DeleteDeployment(t.Context(), before.ID, false); err != nil {
			t.Fatal(err)
		}
		_, _, err := p.writer().create(t.Context(), time.Second, imageRequest("chat"))
		if !errors.Is(err, context.DeadlineExceeded) || client.StatusOf(err) != http.StatusConflict {
			t.Errorf("error = %v, want an exceeded deadline with the conflict", err)
		}
	})
	t.Run("cancelled while waiting for the name", func(t *testing.T) {
		t.Parallel()
		p := newPlane(t)
		before := p.create(t, "chat")
		if err := p.client.DeleteDeployment(t.Context(), before.ID, false); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		p.clock.beforeSleep = func(int) { cancel() }
		if _, _, err := p.writer().create(ctx, waitLimit, imageRequest("chat")); !errors.Is(err, context.Canceled) {
			t.Errorf("error = %v, want context.Canceled", err)
		}
	})
}

// TestDiffers compares what TestSentPatch, which has every field, doesn't: values that are hidden, resolved or filled in.
func TestDiffers(t *testing.T) {
	t.Parallel()
	id := func(s string) *string { return &s }
	yes := true
	spec := specOf(t, `{"cpu":1}`)
	withSpec := func(s api.ResourceSpec) api.Deployment {
		return api.Deployment{SourceConfig: api.SourceConfig{ResourceSpec: &s}}
	}
	config := func(request api.SourceConfigRequest) api.DeploymentPatchRequest {
		return api.DeploymentPatchRequest{SourceConfig: api.Some(request)}
	}
	revision := func(request api.SourceRevisionConfigRequest) api.DeploymentPatchRequest {
		return api.DeploymentPatchRequest{SourceRevisionConfig: api.Some(request)}
	}
	secrets := func(pairs ...string) api.DeploymentPatchRequest {
		return api.DeploymentPatchRequest{Secrets: api.Some(secretsOf(pairs...))}
	}
	having := func(secrets ...api.Secret) api.Deployment { return api.Deployment{Secrets: secrets} }
	const commit = "0123456789abcdef0123456789abcdef01234567"
	for name, test := range map[string]struct {
		patch   api.DeploymentPatchRequest
		current api.Deployment
		want    bool
	}{
		"nothing":                       {api.DeploymentPatchRequest{}, api.Deployment{}, false},
		"another ref":                   {revision(api.SourceRevisionConfigRequest{RepoRef: api.Some("a")}), api.Deployment{SourceRevisionConfig: api.SourceRevisionConfig{RepoRef: id("b")}}, true},
		"a ref resolved to a commit":    {revision(api.SourceRevisionConfigRequest{RepoRef: api.Some("a")}), api.Deployment{SourceRevisionConfig: api.SourceRevisionConfig{RepoRef: id(commit)}}, false},
		"another branch, with a commit": {revision(api.SourceRevisionConfigRequest{RepoRef: api.Some("a")}), api.Deployment{SourceConfig: api.SourceConfig{RepoBranch: id("b")}, SourceRevisionConfig: api.SourceRevisionConfig{RepoRef: id(commit)}}, true},
		"command that isn't echoed":     {config(api.SourceConfigRequest{InstallCommand: api.Some("a"), BuildCommand: api.Some("b")}), api.Deployment{}, false},
		"spec":                          {config(api.SourceConfigRequest{ResourceSpec: api.Some(spec)}), withSpec(specOf(t, `{"cpu":1,"cpu_limit":2,"queue_cpu":1,"queue_cpu_limit":2}`)), false},
		"another spec":                  {config(api.SourceConfigRequest{ResourceSpec: api.Some(spec)}), withSpec(specOf(t, `{"cpu":2}`)), true},
		"a spec that isn't reported":    {config(api.SourceConfigRequest{ResourceSpec: api.Some(spec)}), api.Deployment{}, false},
		"variables":                     {secrets("A", "1"), having(api.Secret{Name: "A", Value: "1"}), false},
		"variables masked":              {secrets("A", "1"), having(api.Secret{Name: "A", Value: "****"}), false},
		"variables without values":      {secrets("A", "1"), having(api.Secret{Name: "A", ValueOmitted: true}), false},
		"variables not reported":        {secrets("A", "1"), having(), false},
		"another value":                 {secrets("A", "1"), having(api.Secret{Name: "A", Value: "2"}), true},
		"another name":                  {secrets("A", "1"), having(api.Secret{Name: "B", Value: "****"}), true},
		"a name more":                   {secrets("A", "1"), having(api.Secret{Name: "A", Value: "1"}, api.Secret{Name: "B", Value: "1"}), true},
		"what wasn't sent":              {config(api.SourceConfigRequest{BuildOnPush: api.Some(true)}), api.Deployment{SourceConfig: api.SourceConfig{BuildOnPush: &yes, CustomURL: id("x")}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := (sentPatch{test.patch, api.LangSmith, nil}).differs(test.current); got != test.want {
				t.Errorf("differs = %t, want %t", got, test.want)
			}
		})
	}
	t.Run("a field of the spec that stays", func(t *testing.T) {
		t.Parallel()
		sent, stays := config(api.SourceConfigRequest{ResourceSpec: api.Some(spec)}), withSpec(specOf(t, `{"cpu":1,"labels":{"a":"b"}}`))
		if !(sentPatch{sent, api.Neutral, []string{"labels"}}).differs(stays) || (sentPatch{sent, api.LangSmith, []string{"labels"}}).differs(stays) {
			t.Error("want a difference, except where the service fills in undocumented defaults")
		}
	})
	t.Run("a command that is missing where it is echoed", func(t *testing.T) {
		t.Parallel()
		if !(sentPatch{config(api.SourceConfigRequest{InstallCommand: api.Some("a")}), api.Neutral, nil}).differs(api.Deployment{}) {
			t.Error("differs = false, want true")
		}
	})
}

func TestWriterDelete(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		faults  []devserver.Fault
		deletes int
		fails   bool
	}{
		"at once":                       {nil, 1, false},
		"another change is in progress": {[]devserver.Fault{{Match: deleting, Status: 409, Times: 2}}, 3, false},
		"the reply is lost":             {[]devserver.Fault{{Match: deleting, Drop: true}}, 2, false},
		"the request is lost":           {[]devserver.Fault{{Match: deleting, DropBefore: true}}, 2, false},
		"outages while it goes":         {[]devserver.Fault{{Match: reading, Status: 503, Times: 2}, {Match: reading, Status: 502, HTML: "down"}}, 1, false},
		"another address":               {[]devserver.Fault{{Match: deleting, Status: 404, HTML: "Nothing here"}}, 1, true},
		"one may not look":              {[]devserver.Fault{{Match: reading, Status: 403, Times: 1000}}, 1, true},
		"accepted, not done":            {[]devserver.Fault{{Match: deleting, Status: 202, Detail: "Done.", Times: 2}}, 3, false},
		"said to be under way":          {[]devserver.Fault{{Match: deleting, Status: 404, Detail: "Deployment not found"}}, 2, false},
		"accepted, then refused": {[]devserver.Fault{
			{Match: deleting, Status: 204}, {Match: deleting, Status: 422, Detail: "Not now.", Times: 3},
		}, 5, false},
		"one may not look for a moment": {[]devserver.Fault{{Match: reading, Status: 403}}, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlane(t)
			id := p.create(t, "chat").ID
			p.arm(t, test.faults...)
			err := p.writer().delete(t.Context(), waitLimit, id, false)
			if (err != nil) != test.fails {
				t.Fatalf("error = %v, want one: %t", err, test.fails)
			}
			if got := p.sent(http.MethodDelete, "/v2/"); got != test.deletes {
				t.Errorf("%d DELETE requests, want %d", got, test.deletes)
			}
			if _, err := p.client.Deployments().Get(t.Context(), id); !test.fails && !client.IsNotFound(err) {
				t.Errorf("reading it after the deletion: error = %v, want a 404", err)
			}
		})
	}
	t.Run("never done", func(t *testing.T) {
		t.Parallel()
		p := newPlane(t)
		id := p.create(t, "chat").ID
		p.arm(t, devserver.Fault{Match: deleting, Status: 204, Times: 1000})
		err := p.writer().delete(t.Context(), 10*time.Minute, id, false)
		if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "status is still READY") {
			t.Errorf("error = %v, want an exceeded deadline with the status READY", err)
		}
		if got := p.sent(http.MethodDelete, "/v2/"); got < 2 || got > 11 {
			t.Errorf("%d DELETE requests in ten minutes, want 2 to 11", got)
		}
	})
	t.Run("cancelled before the second look", func(t *testing.T) {
		t.Parallel()
		p := newPlane(t)
		id := p.create(t, "chat").ID
		if err := p.writer().delete(t.Context(), waitLimit, id, false); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		p.clock.beforeSleep = func(int) { cancel() }
		if err := p.writer().delete(ctx, waitLimit, id, false); !errors.Is(err, context.Canceled) {
			t.Errorf("error = %v after one look that didn't find it, want a cancellation", err)
		}
	})
	t.Run("takes long", func(t *testing.T) {
		t.Parallel()
		p := newPlane(t, func(c *devserver.Config) { c.Rollout = time.Hour })
		id := p.create(t, "chat").ID
		if err := p.writer().delete(t.Context(), time.Hour, id, false); err != nil {
			t.Error(err)
		}
		if got := p.sent(http.MethodDelete, "/v2/"); got != 1 {
			t.Errorf("%d DELETE requests, want 1, because the deletion was in progress", got)
		}
	})
	t.Run("under way already", func(t *testing.T) {
		t.Parallel()
		p := newPlane(t)
		id := p.create(t, "chat").ID
		if err := p.client.DeleteDeployment(t.Context(), id, false); err != nil {
			t.Fatal(err)
		}
		if err := p.writer().delete(t.Context(), waitLimit, id, false); err != nil {
			t.Error(err)
		}
		if p.clock.slept == 0 {
			t.Error("delete returned without waiting for the deletion in progress")
		}
	})
	t.Run("takes too long", func(t *testing.T) {
		t.Parallel()
		p := newPlane(t)
		id := p.create(t, "chat").ID
		err := p.writer().delete(t.Context(), time.Second, id, false)
		if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "limit 1s") {
			t.Errorf("error = %v, want an exceeded deadline with the limit 1s", err)
		}
	})
	t.Run("cancelled while it goes", func(t *testing.T) {
		t.Parallel()
		p := newPlane(t)
		id := p.create(t, "chat").ID
		ctx, cancel := context.WithCancel(t.Context())
		p.clock.beforeSleep = func(int) { cancel() }
		if err := p.writer().delete(ctx, waitLimit, id, false); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "The deletion was accepted and continues") {
			t.Errorf("error = %v, want that the deletion was accepted", err)
		}
	})
}
