terraform {
  required_providers {
    agentplane = {
      source = "agentplane/agentplane"
    }
  }
}

data "agentplane_tracing_projects" "billing" {
  name_contains = "billing"
}

# IDs of those that collect traces; the others evaluate datasets.
output "billing_tracing_projects" {
  value = {
    for project in data.agentplane_tracing_projects.billing.tracing_projects : project.name => project.id
    if project.reference_dataset_id == null
  }
}
