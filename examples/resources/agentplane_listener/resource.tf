terraform {
  required_providers {
    agentplane = {
      source = "agentplane/agentplane"
    }
  }
}

resource "agentplane_listener" "production" {
  compute_id = "production"

  compute_config = {
    k8s_namespaces = ["agents", "agents-staging"]
  }
}

# A deployment in the listener's cluster. It is destroyed before the listener.
resource "agentplane_deployment" "onboarding" {
  name   = "onboarding"
  source = "external_container"

  source_config = {
    listener_id = agentplane_listener.production.id
    listener_config = {
      k8s_namespace = "agents"
    }
  }

  source_revision_config = {
    image_uri = "registry.example.com/agents/onboarding:1.4.0"
  }
}
