run "prompts_are_right" {
  command = plan

  assert {
    condition     = alltrue([for problems in output.problems : length(problems) == 0])
    error_message = "A prompt is broken: ${jsonencode(output.problems)}"
  }
}

run "runs_stay_within_budget" {
  command = plan

  assert {
    condition     = output.runs["answer.run.json"].model == "gpt-4o-mini" && output.runs["answer.run.json"].total_tokens == 30
    error_message = "The recorded run is misread: ${jsonencode(output.runs)}"
  }
  assert {
    condition     = tonumber(output.runs["answer.run.json"].total_cost) <= 0.00001
    error_message = "The run costs ${output.runs["answer.run.json"].total_cost} dollars."
  }
  assert {
    condition     = output.runs["answer.run.json"].time_to_first_token < 0.5
    error_message = "The first token takes too long."
  }
}

run "broken_prompts_are_found" {
  command = plan

  variables {
    fixtures = "broken"
  }
  assert {
    condition     = length(output.problems["lost.prompt.json"]) == 2
    error_message = "Want the unknown role and the missing text, got ${jsonencode(output.problems)}"
  }
}
