package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"

	engine "modernc.org/sqlite"
)

// templateName is the name of an empty database with this program's schema, shared by all connections of the process.
const templateName = "file:/agentplane-template?vfs=memdb"

// template is kept open, because the database disappears with its last connection. Migrations run only on it: copying it
// takes a thirtieth of their time.
var template = sync.OnceValues(func() (*sql.DB, error) {
	db, err := openDriver(templateName)
	if err != nil {
		return nil, err
	}
	if err := migrate(context.Background(), db); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
})

// copyTemplate copies the template into an in-memory database.
func copyTemplate(ctx context.Context, db *sql.DB) error {
	if _, err := template(); err != nil {
		return err
	}
	connection, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	copied := connection.Raw(func(driver any) error {
		to, can := driver.(interface {
			NewRestore(from string) (*engine.Backup, error)
		})
		if !can {
			return fmt.Errorf("%T can't copy a database", driver)
		}
		restore, err := to.NewRestore(templateName)
		if err != nil {
			return err
		}
		_, err = restore.Step(-1)
		return errors.Join(err, restore.Finish())
	})
	return errors.Join(copied, connection.Close())
}
