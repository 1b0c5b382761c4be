// Package backend stands in for the remote state backends of Terraform. See .ci/terraform.mod for the reason.
package backend

import "github.com/hashicorp/terraform/internal/backend"

// New panics. Terraform only calls it for a configuration that names the backend.
func New() backend.Backend {
	panic("this build of Terraform has no remote state backends")
}
