variables {
  # A test can't destroy what is protected.
  deletion_protection = false

  # A check that fails in a module fails a test, which can't expect it. The tests of the module do.
  limits = null

  secrets = {}
}

run "dev" {
  module {
    source = "../dev"
  }

  variables {
    image = "registry.example.com/agents/chat@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
  }
}

run "takes_what_dev_serves" {
  variables {
    dev_image = run.dev.image
  }

  assert {
    condition     = output.image == var.dev_image
    error_message = "Prod has ${output.image}, dev ${var.dev_image}."
  }
}

run "refuses_a_candidate_beside_a_promotion" {
  command = plan

  variables {
    candidate = { image = run.dev.image, percent = 5 }
  }

  expect_failures = [var.candidate]
}

run "splits_the_traffic" {
  variables {
    image     = run.dev.image
    candidate = { image = run.dev.image, percent = 5 }
  }

  expect_failures = [check.promotion] # Prod is pinned.

  assert {
    condition     = output.routes["chat"] == 95 && output.routes["chat-candidate"] == 5
    error_message = "The traffic is split as ${jsonencode(output.routes)}."
  }
}

run "refuses_to_switch_without_traces" {
  command = plan

  variables {
    image     = run.dev.image
    candidate = { image = run.dev.image, percent = 100 }
  }

  expect_failures = [output.routes, check.promotion]
}
