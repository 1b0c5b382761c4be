// The stub may import internal packages of Terraform because its path is below Terraform's.
module github.com/hashicorp/terraform/internal/backend/remote-state/stub

go 1.26.6
