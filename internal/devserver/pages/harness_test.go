package pages_test

import "github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"

// Short names for what most tests use.
type (
	object = devservertest.Object
	plane  = devservertest.Plane
)
