package controlplane_test

import "github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"

// What tests are written in.
type (
	object = devservertest.Object
	plane  = devservertest.Plane
)
