terraform {
  required_version = ">= 1.8" # For provider functions.

  required_providers {
    agentplane = {
      source = "agentplane/agentplane"
    }
  }
}

locals {
  # For example, import IDs from a file.
  adopted = ["name:chat", "7c9e6679-7425-40de-944b-e07fc1f90ae7/name:research"]
}

output "names_by_workspace" {
  value = {
    for parsed in [for id in local.adopted : provider::agentplane::parse_import_id(id)] :
    coalesce(parsed.workspace_id, "default") => parsed.name...
  }
}
