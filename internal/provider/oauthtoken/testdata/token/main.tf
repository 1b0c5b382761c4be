variable "access_token" {
  type    = string
  default = "canary-access-token"
}

variable "refresh_token" {
  type    = string
  default = null
}

variable "tokens_version" {
  type    = number
  default = null
}

variable "expires_in_seconds" {
  type    = number
  default = null
}

variable "scopes" {
  type    = set(string)
  default = null
}

variable "label" {
  type    = string
  default = null
}

variable "is_default" {
  type    = bool
  default = null
}

variable "provider_id" {
  type    = string
  default = "calendar"
}

resource "agentplane_oauth_token" "test" {
  provider_id            = var.provider_id
  access_token_wo        = var.access_token
  refresh_token_wo       = var.refresh_token
  tokens_wo_version      = var.tokens_version
  expires_in_seconds     = var.expires_in_seconds
  scopes                 = var.scopes
  provider_account_label = var.label
  is_default             = var.is_default
}
