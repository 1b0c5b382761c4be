output "name" {
  description = "Name of the preview."
  value       = one(module.agent[*].name)
}

output "url" {
  description = "URL of the preview; null if the service doesn't report it."
  value       = one(module.agent[*].url)
}
