terraform import agentplane_oauth_token.calendar 3f2b8c1e-5a94-4d0e-9c63-7b1f0a2d4e58
