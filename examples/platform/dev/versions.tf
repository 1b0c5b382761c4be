terraform {
  required_version = ">= 1.11" # Write-only arguments, in Terraform and in OpenTofu.

  required_providers {
    agentplane = {
      source  = "agentplane/agentplane"
      version = "~> 0.1.0"
    }
  }
}

# Address and key come from AGENTPLANE_BASE_URL and AGENTPLANE_API_KEY, and the workspace from AGENTPLANE_WORKSPACE_ID.
provider "agentplane" {
  dialect = var.dialect
}
