package devserver_test

import "github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"

// object is a JSON object in a test.
type (
	object = devservertest.Object
	plane  = devservertest.Plane
)
