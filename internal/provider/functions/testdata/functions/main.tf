terraform {
  required_providers {
    agentplane = {
      source = "agentplane/agentplane"
    }
  }
}

locals {
  spec = {
    cpu             = 1.5
    memory_mb       = 1024
    memory_limit_mb = 1536
    max_scale       = 4
    labels          = { team = "research" }
  }

  effective = provider::agentplane::effective_resources(local.spec)
}

output "tag" {
  value = provider::agentplane::tag_ref("v1.2.3")
}

output "name" {
  value = provider::agentplane::parse_import_id("name:chat").name
}

output "effective" {
  value = local.effective
}

# What the largest rollout of agent and queue can take.
output "memory_mb" {
  value = local.effective.max_scale * local.effective.memory_limit_mb + local.effective.queue_max_scale * local.effective.queue_memory_limit_mb
}
