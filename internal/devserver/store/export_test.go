package store

// Pragma reads a setting of the connection.
func (t *Tx) Pragma(name string) (string, error) { return queryOne(t, scanText, "PRAGMA "+name) }
