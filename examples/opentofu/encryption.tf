terraform {
  required_version = ">= 1.8" # OpenTofu. Terraform doesn't encrypt states.

  required_providers {
    agentplane = { source = "agentplane/agentplane" }
  }

  encryption {
    key_provider "pbkdf2" "passphrase" {
      passphrase = var.passphrase
    }

    method "aes_gcm" "passphrase" {
      keys = key_provider.pbkdf2.passphrase
    }

    state {
      method   = method.aes_gcm.passphrase
      enforced = true
    }

    plan {
      method   = method.aes_gcm.passphrase
      enforced = true
    }
  }
}

variable "passphrase" {
  description = "Encrypts states and saved plans; at least 16 characters."
  type        = string
  sensitive   = true
}

variable "model_api_key" {
  type      = string
  sensitive = true
}

data "agentplane_listener" "cluster" {
  compute_id = "dev-cluster"
}

resource "agentplane_deployment" "chat" {
  name                   = "chat"
  source                 = "external_container"
  source_revision_config = { image_uri = "registry.example.com/agents/chat:1.4.0" }
  source_config = {
    listener_id     = data.agentplane_listener.cluster.id
    listener_config = { k8s_namespace = "agents" }
  }

  secrets = { MODEL_API_KEY = var.model_api_key }
}
