package store

import (
	"context"
	"database/sql"
	"errors"
	"reflect"
	"time"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// errNoHandle means that a connection isn't what this version of the driver returns.
var errNoHandle = errors.New("the driver's connections have no handle")

// interruptAgain is how long an interrupted connection may continue before it is interrupted again: SQLite forgets an interrupt
// that comes between two statements.
const interruptAgain = 5 * time.Millisecond

// interruptible does what the driver does only until a statement has found its first row.
func (*sqlite) interruptible(ctx context.Context, connection *sql.Conn) (end func(), err error) {
	handle, err := handleOf(connection)
	if err != nil {
		return nil, err
	}
	over, ended := make(chan struct{}), make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(ended)
		tls := libc.NewTLS()
		defer tls.Close()
		for {
			sqlite3.Xsqlite3_interrupt(tls, handle)
			select {
			case <-over:
				return
			case <-time.After(interruptAgain):
			}
		}
	})
	return func() {
		close(over)
		if !stop() {
			<-ended
		}
	}, nil
}

// handleOf returns the handle that SQLite knows a connection by. The driver doesn't offer it.
func handleOf(connection *sql.Conn) (handle uintptr, err error) {
	raw := connection.Raw(func(driverConn any) error {
		value := reflect.Indirect(reflect.ValueOf(driverConn))
		if value.Kind() != reflect.Struct {
			return errNoHandle
		}
		field := value.FieldByName("db")
		if field.Kind() != reflect.Uintptr || field.Uint() == 0 {
			return errNoHandle
		}
		handle = uintptr(field.Uint())
		return nil
	})
	return handle, raw
}
