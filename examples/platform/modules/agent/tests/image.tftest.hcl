variables {
  name   = "chat-test"
  image  = "registry.example.com/agents/chat@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
  limits = { min_traces = 3, max_latency_p99 = 0.05, max_cost = 0.001 }

  # Required in tests, even if it is empty: Terraform can't apply the default of an ephemeral variable there.
  secrets = { MODEL_API_KEY = "the-key-of-the-model" }

  cluster = {
    compute_id = "dev-cluster"
    namespace  = "agents"
  }
  prices = {
    "example-1.5" = { prompt_cost = "2e-6", completion_cost = "3e-6" }
  }
}

run "refuses_tags" {
  command = plan

  variables {
    image = "registry.example.com/agents/chat:1.4.0"
  }

  expect_failures = [var.image]
}

run "refuses_nothing" {
  command = plan

  variables {
    image = null
  }

  expect_failures = [agentplane_deployment.agent]
}

# Only planned: a test can't destroy what is protected, so it must not apply the protection.
run "protects" {
  command = plan

  variables {
    deletion_protection = true
  }

  assert {
    condition     = agentplane_deployment.agent.deletion_protection
    error_message = "deletion_protection doesn't reach the deployment."
  }

  # Nothing is known of the traces yet.
  expect_failures = [check.error_rate, check.latency, check.cost]
}

run "deploys_and_fails_checks_without_traces" {
  assert {
    condition     = agentplane_deployment.agent.latest_revision_status == "DEPLOYED"
    error_message = "The revision is ${agentplane_deployment.agent.latest_revision_status}."
  }
  assert {
    condition     = contains(agentplane_deployment.agent.environment_names, "MODEL_API_KEY") && !output.within_limits
    error_message = "The secret is missing, or limits are met without traces."
  }

  expect_failures = [check.error_rate, check.latency, check.cost]
}

run "logs_good_traces" {
  module {
    source = "./tests/traffic"
  }

  variables {
    deployment_id = run.deploys_and_fails_checks_without_traces.id
    model_name    = "example-1.5"
  }
}

run "passes_checks" {
  variables {
    smoke_test_model = "example-1.5"
  }

  assert {
    condition     = output.within_limits
    error_message = "The limits are not met: ${local.figures}."
  }
}

run "fails_checks_with_too_few_traces" {
  command = plan

  variables {
    smoke_test_model = "example-1.5"
    limits           = { min_traces = 5, max_latency_p99 = 0.05, max_cost = 0.001 }
  }

  expect_failures = [check.error_rate, check.latency, check.cost]
}

run "fails_checks_for_a_revision_without_traces" {
  variables {
    image = "registry.example.com/agents/chat@sha256:60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752"
  }

  assert {
    condition     = local.traces.run_count == 0
    error_message = "Traces of the earlier revision count: ${local.figures}."
  }

  expect_failures = [check.error_rate, check.latency, check.cost]
}

run "logs_failed_traces" {
  module {
    source = "./tests/traffic"
  }

  variables {
    deployment_id = run.fails_checks_for_a_revision_without_traces.id
    model_name    = "example-1.5"
    error         = "The model is overloaded."
  }
}

run "fails_check_of_errors" {
  variables {
    image = "registry.example.com/agents/chat@sha256:60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752"
  }

  expect_failures = [check.error_rate]
}

run "logs_slow_traces_without_a_price" {
  module {
    source = "./tests/traffic"
  }

  variables {
    deployment_id = run.fails_check_of_errors.id
    model_name    = "example-10.5"
    duration      = "100ms"
  }
}

run "fails_all_checks" {
  variables {
    image = "registry.example.com/agents/chat@sha256:60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752"
  }

  expect_failures = [check.error_rate, check.latency, check.cost]
}
