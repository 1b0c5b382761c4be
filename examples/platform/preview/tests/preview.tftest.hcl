variables {
  # Required in tests: Terraform can't apply the default of an ephemeral variable there.
  secrets = {}
}

run "deploys" {
  variables {
    pull_request = 12
    image        = "registry.example.com/agents/chat@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
  }

  assert {
    condition     = output.name == "chat-pr-12"
    error_message = "The preview is called ${output.name}, which the sweep job doesn't find."
  }
}
