terraform {
  required_providers {
    agentplane = {
      source = "agentplane/agentplane"
    }
  }
}

data "agentplane_listener" "cluster" {
  compute_id = "dev-cluster"
}

# A failed first rollout fails the apply without tainting the deployment: the next apply repairs it, and never replaces it.
resource "agentplane_deployment" "support" {
  name             = "support"
  source           = "external_container"
  on_failed_create = "keep"

  source_config = {
    listener_id = data.agentplane_listener.cluster.id
    listener_config = {
      k8s_namespace = "agents"
    }
  }

  source_revision_config = {
    image_uri = "registry.example.com/agents/support:2.1.0"
  }

  lifecycle {
    postcondition {
      condition     = self.latest_revision_status == "DEPLOYED"
      error_message = "Deployment ${self.name} was not rolled out; see the warnings of the apply."
    }
  }
}
