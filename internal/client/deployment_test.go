package client

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

func TestDelete(t *testing.T) {
	t.Parallel()
	gone := answerWith(404, `{"detail":"Deployment ID d0000001-0000-4000-8000-000000000000 not found."}`)
	done := answerWith(204, nil)
	tests := map[string]struct {
		handlers []http.HandlerFunc
		want     int // The error's status; 0: success.
		requests int
	}{
		"done":                          {[]http.HandlerFunc{done}, 0, 1},
		"done, with a body":             {[]http.HandlerFunc{answerWith(200, `{"message":"ok"}`)}, 0, 1},
		"not there":                     {[]http.HandlerFunc{gone}, 404, 1},
		"gone after a lost reply":       {[]http.HandlerFunc{hangUp, gone}, 0, 2},
		"gone after a broken-off reply": {[]http.HandlerFunc{breakOff, gone}, 0, 2},
		"gone after a 502":              {[]http.HandlerFunc{answerWith(502, nil), gone}, 0, 2},
		"gone after a 502 and a 429":    {[]http.HandlerFunc{answerWith(502, nil), answerWith(429, nil), gone}, 0, 3},
		"not there after a 429":         {[]http.HandlerFunc{answerWith(429, nil), gone}, 404, 2},
		"done after a lost reply":       {[]http.HandlerFunc{hangUp, done}, 0, 2},
		"refused after a lost reply":    {[]http.HandlerFunc{hangUp, answerWith(400, `{"detail":"no"}`)}, 400, 2},
		"a page that calls itself fine": {[]http.HandlerFunc{answerWith(200, "<html></html>")}, 200, 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, s := serve(t, script(test.handlers...))
			err := c.DeleteDeployment(t.Context(), "d0000001-0000-4000-8000-000000000000", false)
			if (err == nil) != (test.want == 0) || StatusOf(err) != test.want {
				t.Errorf("error = %v, want status %d", err, test.want)
			}
			if got := len(s.calls()); got != test.requests {
				t.Errorf("%d requests, want %d", got, test.requests)
			}
		})
	}
}

func TestPatch(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		handlers []http.HandlerFunc
		name     string
		requests []string
	}{
		"the deployment": {[]http.HandlerFunc{answerWith(200, `{"id":"d0000001-0000-4000-8000-000000000000","name":"patched"}`)}, "patched", []string{"PATCH"}},
		"nothing":        {[]http.HandlerFunc{answerWith(204, nil)}, "", []string{"PATCH"}},
		"an empty 200":   {[]http.HandlerFunc{answerWith(200, "")}, "", []string{"PATCH"}},
		"something else": {[]http.HandlerFunc{answerWith(200, `{"message":"ok"}`)}, "", []string{"PATCH"}},
		"another":        {[]http.HandlerFunc{answerWith(200, `{"id":"d0000002-0000-4000-8000-000000000000"}`)}, "", []string{"PATCH"}},
		"null":           {[]http.HandlerFunc{answerWith(200, `null`)}, "", []string{"PATCH"}},
		"slow down, then it all": {
			[]http.HandlerFunc{answerWith(429, nil), answerWith(200, `{"id":"d0000001-0000-4000-8000-000000000000","name":"patched"}`)},
			"patched", []string{"PATCH", "PATCH"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, s := serve(t, script(test.handlers...))
			d, err := c.PatchDeployment(t.Context(), "d0000001-0000-4000-8000-000000000000", api.DeploymentPatchRequest{
				SourceConfig: api.Some(api.SourceConfigRequest{CustomURL: api.Optional[string]{Present: true}}),
			})
			if err != nil || (d == nil) != (test.name == "") || d != nil && d.Name != test.name {
				t.Errorf("PatchDeployment = %v, %v; want %q", d, err, test.name)
			}
			var want []string
			for _, method := range test.requests {
				want = append(want, method+" /v2/deployments/d0000001-0000-4000-8000-000000000000")
			}
			if diff := cmp.Diff(want, s.calls()); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
			if body := s.requests[0].Body; body != `{"source_config":{"custom_url":null}}` {
				t.Errorf("body = %s, want custom_url null and nothing else", body)
			}
		})
	}
}

// TestFindRevision checks that a revision counts as gone only if the list doesn't contain it either.
func TestFindRevision(t *testing.T) {
	t.Parallel()
	const one = `{"id":"2a000001-0000-4000-8000-000000000000","status":"BUILDING"}`
	missing := answerWith(http.StatusNotFound, `{"detail": "Revision not found"}`)
	listed := answerWith(http.StatusOK, `{"resources":[{"id":"2a000002-0000-4000-8000-000000000000","status":"DEPLOYED"},`+one+`],"offset":2}`)
	none := answerWith(http.StatusOK, `{"resources":[],"offset":0}`)
	for name, test := range map[string]struct {
		get, list       http.HandlerFunc
		found, notFound bool
	}{
		"it is there":            {answerWith(http.StatusOK, one), none, true, false},
		"the list shows it":      {missing, listed, true, false},
		"both agree":             {missing, none, false, true},
		"the list can't be read": {missing, answerWith(http.StatusForbidden, `{"detail": "No"}`), false, false},
		"nor is the deployment":  {missing, missing, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/v2/deployments/d0000001-0000-4000-8000-000000000000/revisions" && r.URL.Query().Get("offset") != "2" {
					test.list(w, r)
					return
				} else if r.URL.Query().Get("offset") == "2" {
					none(w, r)
					return
				}
				test.get(w, r)
			})
			r, err := c.Revisions("d0000001-0000-4000-8000-000000000000").Find(t.Context(), "2a000001-0000-4000-8000-000000000000")
			if (err == nil) != test.found || test.found && r.Status != api.RevisionBuilding || IsNotFound(err) != test.notFound {
				t.Errorf("FindRevision = %v, %v; want it found: %v, not found: %v", r, err, test.found, test.notFound)
			}
		})
	}
}

func TestPatchWithUnknownOutcome(t *testing.T) {
	t.Parallel()
	c, s := serve(t, answerWith(504, `{"detail":"upstream timed out"}`, "X-Request-Id", "2a000001-0000-4000-8000-000000000000"))
	_, err := c.PatchDeployment(t.Context(), "d0000001-0000-4000-8000-000000000000", api.DeploymentPatchRequest{})
	unknown, ok := errors.AsType[*OutcomeUnknownError](err)
	if !ok {
		t.Fatalf("error = %#v, want an OutcomeUnknownError", err)
	}
	cause, ok := errors.AsType[*Error](err)
	if !ok || cause.Status != 504 || cause.RequestID != "2a000001-0000-4000-8000-000000000000" {
		t.Errorf("cause = %v, want status 504 of the request 2a000001-0000-4000-8000-000000000000", unknown.Err)
	}
	want := OutcomeUnknownError{Method: "PATCH", Path: "/v2/deployments/d0000001-0000-4000-8000-000000000000", ID: "d0000001-0000-4000-8000-000000000000", Err: unknown.Err}
	if *unknown != want {
		t.Errorf("error = %#v, want %#v", *unknown, want)
	}
	if len(s.calls()) != 1 {
		t.Errorf("requests %v, want one", s.calls())
	}
}

func TestGetRevisionNeedsAStatus(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"id":"2a000001-0000-4000-8000-000000000000","status":"BUILDING","status_message":null,"source_revision_config":{"image_uri":"x:1"}}`: "",
		`{"id":"2a000001-0000-4000-8000-000000000000"}`: "no id or no status",
		`{"status":"DEPLOYED"}`:                         "no id or no status",
	} {
		t.Run(body, func(t *testing.T) {
			t.Parallel()
			c, s := serve(t, answerWith(200, body))
			r, err := c.Revisions("d0000001-0000-4000-8000-000000000000").Get(t.Context(), "2a000001-0000-4000-8000-000000000000")
			if (want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("error = %v, want %q", err, want)
			}
			if err == nil && (r.ID != "2a000001-0000-4000-8000-000000000000" || r.Status != api.RevisionBuilding || *r.SourceRevisionConfig.ImageURI != "x:1") {
				t.Errorf("revision = %+v, want 2a000001-0000-4000-8000-000000000000, which is building x:1", r)
			}
			if diff := cmp.Diff([]string{"GET /v2/deployments/d0000001-0000-4000-8000-000000000000/revisions/2a000001-0000-4000-8000-000000000000"}, s.calls()); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
		})
	}
}

// TestFindDeployment checks that a deployment counts as gone only if the list doesn't contain it either.
func TestFindDeployment(t *testing.T) {
	t.Parallel()
	missing := answerWith(http.StatusNotFound, `{"detail": "Deployment not found"}`)
	listed := answerWith(http.StatusOK, api.List[api.Deployment]{Resources: []api.Deployment{{ID: uuidOf(9)}, {ID: "d0000001-0000-4000-8000-000000000000"}}})
	none := answerWith(http.StatusOK, api.List[api.Deployment]{Resources: []api.Deployment{}})
	for name, test := range map[string]struct {
		get, list       http.HandlerFunc
		found, notFound bool
		calls           int
	}{
		"it is there":             {answerWith(http.StatusOK, api.Deployment{ID: "d0000001-0000-4000-8000-000000000000"}), none, true, false, 1},
		"the list shows it":       {missing, listed, true, false, 2},
		"both agree":              {missing, none, false, true, 2},
		"the list can't be read":  {missing, answerWith(http.StatusForbidden, `{"detail": "No"}`), false, false, 2},
		"neither can be found":    {missing, missing, false, false, 2},
		"it can't be read at all": {answerWith(http.StatusForbidden, `{"detail": "No"}`), listed, false, false, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, s := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/v2/deployments" {
					test.list(w, r)
					return
				}
				test.get(w, r)
			})
			d, err := c.Deployments().Find(t.Context(), "d0000001-0000-4000-8000-000000000000")
			if (err == nil) != test.found || test.found && d.ID != "d0000001-0000-4000-8000-000000000000" || IsNotFound(err) != test.notFound {
				t.Errorf("FindDeployment = %v, %v; want it found: %v, not found: %v", d, err, test.found, test.notFound)
			}
			if got := len(s.calls()); got != test.calls {
				t.Errorf("%d requests were sent, want %d", got, test.calls)
			}
		})
	}
}
