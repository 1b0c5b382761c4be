terraform {
  required_providers {
    agentplane = {
      source = "agentplane/agentplane"
    }
  }
}

# The last evaluation of the agent. The plan fails unless every example was answered and enough answers are correct.
data "agentplane_experiment" "support" {
  dataset_name = "support"

  lifecycle {
    postcondition {
      condition = try(
        self.statistics.run_count >= self.example_count &&
        self.statistics.error_rate == 0 &&
        self.statistics.feedback_scores["correct"] >= 0.9,
        false,
      )
      error_message = "The last evaluation of the agent, ${self.name}, did not pass."
    }
  }
}

output "support_scores" {
  value = data.agentplane_experiment.support.statistics.feedback_scores
}
