terraform {
  required_version = ">= 1.11" # Write-only arguments, in Terraform and in OpenTofu.

  required_providers {
    agentplane = {
      source  = "agentplane/agentplane"
      version = ">= 0.1.0"
    }
  }
}
