package devserver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
)

// A test advances the clock through a rollout instead of waiting for it.
func ExampleNew() {
	clock := devserver.NewManualClock(time.Date(2026, 5, 2, 10, 0, 0, 0, time.UTC))
	plane, err := devserver.New(devserver.Config{Rollout: time.Minute, Clock: clock})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer plane.Close()

	request := func(method, path, body string, answer any) {
		r := httptest.NewRequestWithContext(context.Background(), method, "http://localhost"+path, strings.NewReader(body))
		w := httptest.NewRecorder()
		plane.ServeHTTP(w, r)
		if err := json.Unmarshal(w.Body.Bytes(), answer); err != nil {
			fmt.Println(err)
		}
	}
	var deployment api.Deployment
	request(http.MethodPost, "/v2/deployments", `{
		"name": "chat",
		"source": "external_container",
		"source_config": {},
		"source_revision_config": {"image_uri": "registry.example/agent:1.0"},
		"secrets": []
	}`, &deployment)

	for range 4 {
		var revision api.Revision
		request(http.MethodGet, "/v2/deployments/"+deployment.ID+"/revisions/"+*deployment.LatestRevisionID, "", &revision)
		fmt.Println(revision.UpdatedAt, revision.Status)
		clock.Advance(20 * time.Second)
	}
	// Output:
	// 2026-05-02T10:00:00.000000Z QUEUED
	// 2026-05-02T10:00:18.000000Z DEPLOYING
	// 2026-05-02T10:00:18.000000Z DEPLOYING
	// 2026-05-02T10:01:00.000000Z DEPLOYED
}

// The second poll of the new revision gets an error from a busy service; the rollout itself fails during the build.
func ExampleServer_Arm() {
	plane, err := devserver.New(devserver.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer plane.Close()
	seconds := int64(2)
	for _, fault := range []devserver.Fault{
		{
			Match:      "GET /v2/deployments/{deployment_id}/revisions/{revision_id}",
			Skip:       1,
			Status:     http.StatusTooManyRequests,
			RetryAfter: &seconds,
		},
		{Rollout: &devserver.RolloutFault{State: api.RevisionBuilding, Message: "npm ci: exit status 1"}},
		{Status: http.StatusOK, RetryAfter: &seconds},
	} {
		fmt.Println(plane.Arm(fault))
	}
	// Output:
	// <nil>
	// <nil>
	// fault: retry_after requires status 429 or 503, not 200
}
