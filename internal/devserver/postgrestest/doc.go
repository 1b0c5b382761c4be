// Package postgrestest starts a PostgreSQL for the tests of a package, and makes databases in it.
//
// It is the PostgreSQL of the machine, such as that of Debian's package postgresql, in a directory of its own. It ends with the process
// that runs the tests, however that ends. A connection pooler, pgbouncer, can stand before it.
package postgrestest
