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

resource "agentplane_deployment" "helpdesk" {
  name                   = "helpdesk"
  source                 = "external_container"
  source_revision_config = { image_uri = "registry.example.com/agents/helpdesk:1.4.0" }
  source_config = {
    listener_id     = data.agentplane_listener.cluster.id
    listener_config = { k8s_namespace = "agents" }
  }
}

# Redeploys the newest revision: terraform apply -invoke=action.agentplane_redeploy_revision.restart
action "agentplane_redeploy_revision" "restart" {
  config {
    deployment_id = agentplane_deployment.helpdesk.id
  }
}
