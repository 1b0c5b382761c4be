package seal

// The purposes of sealed values. The ID of the row is appended to each.
const (
	ClientSecret      = "client secret "
	AccessToken       = "access token "
	RefreshToken      = "refresh token "
	Verifier          = "PKCE verifier "
	DeploymentSecrets = "deployment secrets "
	InstallLink       = "install link" // Of no row.
)
