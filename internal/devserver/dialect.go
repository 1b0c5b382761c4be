package devserver

import "github.com/agentplane/terraform-provider-agentplane/internal/api"

// SetDialect chooses Dialect by its name.
func (c *Config) SetDialect(name string) error {
	dialect, err := api.ParseDialect(name)
	if err != nil {
		return err
	}
	c.Dialect = dialect
	return nil
}
