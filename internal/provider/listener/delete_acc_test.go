package listener_test

import (
	"net/http"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// destroying returns a step that destroys what step applies.
func destroying(applied resource.TestStep, before func()) resource.TestStep {
	applied.Destroy, applied.PreConfig = true, before
	return applied
}

// TestAccListener_inUse expects an error when deleting a listener that deployments use, with their names.
func TestAccListener_inUse(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	made := step(plane, "resource", config.Variables{"k8s_namespaces": names("agents")})
	var chat, research string
	refused := destroying(made, func() {
		id := holding(t, plane, computeID).ID
		chat, research = deploy(plane, id, "chat"), deploy(plane, id, "research")
		deploy(plane, plane.ListenerID, "elsewhere")
		plane.Call(http.MethodDelete, deploy(plane, id, "going"), nil, nil)
	})
	refused.ExpectError = providertest.Words(`Cannot delete listener "tf-acc-cluster" It is used by 2 deployments: "chat", "research", which only this listener can update. Delete the deployments first, or move them to another listener`)
	fewer := destroying(made, func() { plane.Call(http.MethodDelete, chat, nil, nil) })
	fewer.ExpectError = providertest.Words(`It is used by deployment "research"`)
	// Replacing it also destroys it.
	moved := step(plane, "resource", config.Variables{"compute_id": config.StringVariable("tf-acc-moved")})
	moved.ExpectError = providertest.Words(`Cannot delete listener "tf-acc-cluster" It is used by deployment "research"`)
	// Up to here, no deletion of the listener was sent. The provider waits for deployments being deleted.
	waiting := destroying(made, func() {
		if err := expectSent(plane, 1, 0, 0)(nil); err != nil {
			t.Error(err)
		}
		plane.Call(http.MethodDelete, research, nil, nil)
	})
	tryAll(t, plane, made, refused, fewer, moved, waiting)
	if err := expectSent(plane, 1, 0, 1)(nil); err != nil {
		t.Error(err)
	}
}

// TestAccListener_deleteTimeout expects an error at the timeout that says what it waited for.
func TestAccListener_deleteTimeout(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	made := step(plane, "resource", config.Variables{
		"k8s_namespaces": names("agents"),
		"timeouts":       config.MapVariable(map[string]config.Variable{"delete": config.StringVariable("4s")}),
	})
	late := destroying(made, func() {
		plane.Call(http.MethodDelete, deploy(plane, holding(t, plane, computeID).ID, "going"), nil, nil)
	})
	late.ExpectError = providertest.Words(`timed out after 4s (limit 4s); last error: it is still in use by deployment "going", which is being deleted. The operation timed out. To allow more time, raise timeouts.delete.`)
	tryAll(t, plane, made, late, destroying(made, func() { plane.Clock.Advance(providertest.Rollout) }))
}

// TestAccListener_deleteOutage has single odd answers during the wait, and an interruption of the service.
func TestAccListener_deleteOutage(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	made := step(plane, "resource", config.Variables{"k8s_namespaces": names("agents")})
	destroy := destroying(made, func() {
		plane.Call(http.MethodDelete, deploy(plane, holding(t, plane, computeID).ID, "going"), nil, nil)
		for i, status := range []int64{403, 404, 422} { // Between right answers.
			plane.Arm(devserver.Fault{Match: "GET /v2/deployments", Skip: 1 + int64(i), Status: status, Detail: "Odd."})()
		}
		plane.Arm(devserver.Fault{Match: "GET /v2/deployments", Skip: 4, Times: 12, Status: 502, HTML: "<title>Bad gateway</title>"})()
	})
	tryAll(t, plane, made, destroy)
	failed := 0
	for _, request := range plane.Requests(http.MethodGet, "/v2/deployments") {
		if request.Status != http.StatusOK {
			failed++
		}
	}
	if failed != 3+12 {
		t.Errorf("%d requests failed, want 15", failed)
	}
}

// TestAccListener_deleteRefused expects an error with the reason if the deployments can't be read, also with a 404, and after the service
// has refused for a minute.
func TestAccListener_deleteRefused(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	made := step(plane, "resource", config.Variables{"k8s_namespaces": names("agents")})
	unread := destroying(made, plane.Arm(devserver.Fault{Match: "GET /v2/deployments", Status: 404, Detail: "Not here."}))
	unread.ExpectError = providertest.Words(`Cannot delete listener "tf-acc-cluster" Not here. Status: 404`)
	refused := destroying(made, func() {
		plane.Call(http.MethodDelete, deploy(plane, holding(t, plane, computeID).ID, "going"), nil, nil)
		plane.Arm(devserver.Fault{Match: "GET /v2/deployments", Skip: 1, Times: 1000, Status: 422, Detail: "Told by the service."})()
	})
	refused.ExpectError = providertest.Words(`Cannot delete listener "tf-acc-cluster" Told by the service. Status: 422`)
	healed := destroying(made, func() { plane.Call(http.MethodDelete, "/dev/faults", nil, nil) })
	tryAll(t, plane, made, unread, refused, healed)
}
