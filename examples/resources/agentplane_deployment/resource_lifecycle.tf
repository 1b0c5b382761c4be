terraform {
  required_providers {
    agentplane = { source = "agentplane/agentplane" }
  }
}

data "agentplane_listener" "cluster" {
  compute_id = "dev-cluster"
}

resource "agentplane_deployment" "support" {
  name                   = "support"
  source                 = "external_container"
  on_failed_create       = "keep" # The next apply repairs the deployment instead of replacing it.
  source_revision_config = { image_uri = "registry.example.com/agents/support:3.1.0" }
  source_config = {
    listener_id     = data.agentplane_listener.cluster.id
    listener_config = { k8s_namespace = "agents" }
  }

  lifecycle {
    # After the creation, a pipeline deploys images.
    ignore_changes = [source_revision_config.image_uri]

    # Fails the apply if the newest revision doesn't serve, also one that the pipeline has made.
    postcondition {
      condition     = self.latest_revision_status == "DEPLOYED"
      error_message = "The newest revision is ${coalesce(self.latest_revision_status, "in an unknown state")}."
    }
  }
}
