package devservertest

import "github.com/agentplane/terraform-provider-agentplane/internal/assert"

// Same and Must are those of package assert.
var (
	Same = assert.Same
	Must = assert.Must
)
