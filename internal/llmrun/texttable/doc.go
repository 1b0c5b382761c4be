// Package texttable reads the rows of tables that are kept as text.
package texttable
