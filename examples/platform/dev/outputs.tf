output "image" {
  description = "Image that dev deploys; null for a repository."
  value       = module.agent.image
}

output "url" {
  description = "URL of dev; null if the service doesn't report it."
  value       = module.agent.url
}
