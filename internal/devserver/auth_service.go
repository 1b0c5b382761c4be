package devserver

// authService is the Auth service.
type authService struct{}
