output "id" {
  description = "ID of the deployment."
  value       = agentplane_deployment.agent.id
}

output "name" {
  description = "Name of the deployment."
  value       = agentplane_deployment.agent.name
}

output "url" {
  description = "URL of the deployment; null if the service doesn't report it."
  value       = agentplane_deployment.agent.url
}

output "image" {
  description = "Image that is deployed; null for a repository."
  value       = agentplane_deployment.agent.source_revision_config.image_uri
}

output "ref" {
  description = "Branch or tag that is deployed; null for an image."
  value       = agentplane_deployment.agent.source_revision_config.repo_ref
}

output "revision_id" {
  description = "ID of the newest revision."
  value       = agentplane_deployment.agent.latest_revision_id
}

output "within_limits" {
  description = "Whether there are enough traces, and all limits are met."
  value       = local.error_rate && local.latency && local.cost
}
