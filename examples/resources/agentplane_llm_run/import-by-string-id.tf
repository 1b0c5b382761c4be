import {
  to = agentplane_llm_run.smoke
  id = "6b3f3c0a-7c43-4b0e-9c39-3f6a1a1d0f52/019b7b3a-5d20-7cc0-8b1e-2f4f6c8a9e10"
}
