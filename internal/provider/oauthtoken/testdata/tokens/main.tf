data "agentplane_oauth_tokens" "all" {}

data "agentplane_oauth_tokens" "calendar" {
  provider_id = "calendar"
}

data "agentplane_oauth_token_status" "test" {
  provider_ids = ["calendar", "mail"]
}
