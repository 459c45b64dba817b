package memongo

// Sessions returns how many sessions the server remembers.
func (s *Server) Sessions() int { return len(s.sessions.all()) }
