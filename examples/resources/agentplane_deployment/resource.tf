terraform {
  required_providers {
    agentplane = {
      source = "agentplane/agentplane"
    }
  }
}

variable "model_api_key" {
  description = "Key that the agent uses to call its model."
  type        = string
  sensitive   = true
}

data "agentplane_listener" "cluster" {
  compute_id = "dev-cluster"
}

# A container image that a listener runs in a cluster of a self-hosted installation.
resource "agentplane_deployment" "chat" {
  name   = "chat"
  source = "external_container"

  source_config = {
    listener_id = data.agentplane_listener.cluster.id
    listener_config = {
      k8s_namespace = "agents"
    }
  }

  # A new image rolls out a new revision of the same deployment.
  source_revision_config = {
    image_uri = "registry.example.com/agents/chat:1.4.0"
  }

  environment = {
    LOG_LEVEL = "info"
  }

  secrets = {
    MODEL_API_KEY = var.model_api_key
  }

  timeouts = {
    create = "45m"
  }

  # Fails the apply, without a taint, if the creation ended with a warning because the status could not be read.
  lifecycle {
    postcondition {
      condition     = self.latest_revision_status == "DEPLOYED"
      error_message = "Deployment ${self.name} was not rolled out; see the warnings of the apply."
    }
  }
}
