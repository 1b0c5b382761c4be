package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
)

// templateName is the name of an empty database with this program's schema, in memory.
const templateName = "file:/agentplane-template?vfs=memdb&_pragma=auto_vacuum(INCREMENTAL)"

// emptyDatabase is a database with this program's schema.
type emptyDatabase struct {
	db   *sql.DB // Kept open, because the database disappears with its last connection.
	file []byte
}

// template returns an empty database. Migrations run only on it: writing it to a file takes a thirtieth of their time.
var template = sync.OnceValues(func() (empty emptyDatabase, err error) {
	db, err := openDriver(templateName)
	if err != nil {
		return empty, err
	}
	db.SetMaxOpenConns(1) // Connections to a database in memory don't wait for each other, but fail.
	if err := sqliteSchema.migrate(context.Background(), db); err != nil {
		return empty, errors.Join(err, db.Close())
	}
	file, err := contentsOf(context.Background(), db)
	if err != nil {
		return empty, errors.Join(err, db.Close())
	}
	file[writeFormat], file[readFormat] = walFormat, walFormat
	return emptyDatabase{db, file}, nil
})

// Bytes of the header of a file, and what they are if it has a write-ahead log.
const (
	writeFormat, readFormat = 18, 19
	walFormat               = 2
)

// contentsOf returns the contents of a file with a database.
func contentsOf(ctx context.Context, db *sql.DB) (file []byte, err error) {
	connection, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	err = connection.Raw(func(driver any) error {
		from, can := driver.(interface{ Serialize() ([]byte, error) })
		if !can {
			return fmt.Errorf("%T can't copy a database", driver)
		}
		file, err = from.Serialize()
		return err
	})
	return file, errors.Join(err, connection.Close())
}
