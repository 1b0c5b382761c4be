package authservice

// Service is the Auth service.
type Service struct{}
