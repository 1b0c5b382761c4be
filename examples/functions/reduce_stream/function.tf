terraform {
  required_version = ">= 1.8" # For provider functions.

  required_providers {
    agentplane = {
      source = "agentplane/agentplane"
    }
  }
}

locals {
  # Server-sent events recorded with `curl --no-buffer`.
  recorded = <<-EOT
    data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"On its "}}]}

    data: {"choices":[{"index":0,"delta":{"content":"way."},"finish_reason":"stop"}]}

    data: {"choices":[],"usage":{"prompt_tokens":20,"completion_tokens":10}}

    data: [DONE]
  EOT
  chunks = [
    for line in split("\n", local.recorded) : jsondecode(trimprefix(line, "data: "))
    if startswith(line, "data: {")
  ]
}

output "answer" {
  value = provider::agentplane::reduce_stream("chat_completions", jsonencode(local.chunks))
}
