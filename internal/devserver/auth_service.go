package devserver

// AuthService is the Auth service.
type AuthService struct{}
