terraform {
  required_version = ">= 1.14" # Actions.

  required_providers {
    agentplane = {
      source = "agentplane/agentplane"
    }
  }
}

data "agentplane_listener" "cluster" {
  compute_id = "dev-cluster"
}

resource "agentplane_deployment" "reports" {
  name                   = "reports"
  source                 = "external_container"
  source_revision_config = { image_uri = "registry.example.com/agents/reports:1.4.0" }
  source_config = {
    listener_id     = data.agentplane_listener.cluster.id
    listener_config = { k8s_namespace = "agents" }
  }
}

# Stops a rollout that hangs, with dialect = "langsmith": terraform apply -invoke=action.agentplane_interrupt_revision.newest
action "agentplane_interrupt_revision" "newest" {
  config {
    deployment_id = agentplane_deployment.reports.id
  }
}
