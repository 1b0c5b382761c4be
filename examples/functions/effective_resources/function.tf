terraform {
  required_version = ">= 1.8" # For provider functions.

  required_providers {
    agentplane = {
      source = "agentplane/agentplane"
    }
  }
}

locals {
  resource_spec = {
    max_scale = 4
    cpu       = 1
    memory_mb = 2048
  }

  effective = provider::agentplane::effective_resources(local.resource_spec)
  memory_gi = (
    local.effective.max_scale * local.effective.memory_limit_mb +
    local.effective.queue_max_scale * local.effective.queue_memory_limit_mb
  ) / 1024
}

# Every plan warns if the deployment at full scale would exceed the team's quota.
check "capacity" {
  assert {
    condition     = local.memory_gi <= 64
    error_message = "At full scale, the deployment could use ${local.memory_gi} GiB, more than the quota of 64 GiB."
  }
}
