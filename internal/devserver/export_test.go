package devserver

import "time"

// LookAgainEvery makes pages show sooner what has changed. It must be called before the first request.
func (s *Server) LookAgainEvery(interval time.Duration) { s.pages.LookAgain = interval }
