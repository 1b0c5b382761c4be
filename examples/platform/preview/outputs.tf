output "name" {
  description = "Name of the preview."
  value       = one(module.agent[*].name)

  # Doesn't refuse terraform destroy, as a validation of a variable would.
  precondition {
    condition     = var.image != null || var.repository != null
    error_message = "Set image or repository. To destroy the preview, use terraform destroy."
  }
}

output "url" {
  description = "URL of the preview; null if the service doesn't report it."
  value       = one(module.agent[*].url)
}
