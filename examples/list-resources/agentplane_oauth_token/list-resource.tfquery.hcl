# The tokens of one OAuth provider. terraform query -generate-config-out=adopted.tf writes a resource and an import block for each.
list "agentplane_oauth_token" "calendar" {
  provider = agentplane

  config {
    provider_id = "calendar"
  }
}
