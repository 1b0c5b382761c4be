output "image" {
  description = "Image that prod deploys; null for a repository."
  value       = module.agent.image
}

output "routes" {
  description = "Percentage of the traffic for each deployment, for the gateway in front of them."
  value = merge(
    { (module.agent.name) = 100 - try(var.candidate.percent, 0) },
    { for candidate in module.candidate : candidate.name => var.candidate.percent },
  )

  # The gate. Going back is never refused.
  precondition {
    condition     = try(var.candidate.percent, 0) < 100 || alltrue(module.candidate[*].within_limits)
    error_message = "The candidate may not get all traffic: its traces exceed the limits, or there are too few. See the warnings."
  }
}

output "revisions" {
  description = "What prod has deployed, newest first: images or tags to roll back to, by revision."
  value = [
    for revision in data.agentplane_deployment_revisions.deployed.revisions : {
      id         = revision.id
      created_at = revision.created_at
      deployed   = coalesce(revision.source_revision_config.image_uri, revision.source_revision_config.repo_ref)
    }
  ]
}

data "agentplane_deployment_revisions" "deployed" {
  deployment_id = module.agent.id
  status        = ["DEPLOYED"]
  max_results   = 5

  depends_on = [module.agent] # Read after the rollout of an apply.
}
