package authservice

// AuthService is the Auth service.
type AuthService struct{}
