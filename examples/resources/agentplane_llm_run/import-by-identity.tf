import {
  to = agentplane_llm_run.smoke
  identity = {
    id = "019b7b3a-5d20-7cc0-8b1e-2f4f6c8a9e10"
  }
}
