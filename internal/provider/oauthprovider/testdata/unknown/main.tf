variable "generation" {}

# Its output is known only after the apply, and the same every time.
resource "terraform_data" "text" {
  input = {
    generation  = var.generation
    provider_id = "tf-acc-calendar"
    name        = "Calendar"
    type        = "slack"
    secret      = "the-same-secret"
    params      = { prompt = "consent" }
  }
}

resource "agentplane_oauth_provider" "test" {
  provider_id           = terraform_data.text.output.provider_id
  name                  = terraform_data.text.output.name
  client_id             = "client-1"
  client_secret         = terraform_data.text.output.secret
  auth_url              = "https://login.example.com/authorize"
  token_url             = "https://login.example.com/token"
  provider_type         = terraform_data.text.output.type
  authorization_params  = terraform_data.text.output.params
  allowed_redirect_uris = [terraform_data.text.output.name]
}
