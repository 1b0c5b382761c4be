package store

import (
	"reflect"
	"strings"
	"time"
)

// table describes a table whose rows are structs: a field with the tag db is the column that the tag names. Other fields come from elsewhere.
type table[T any] struct {
	name    string
	key     []string // The columns that identify a row.
	columns []string
	fields  map[string]int // By column.
}

func tableOf[T any](name string, key ...string) table[T] {
	of, row := table[T]{name: name, key: key, fields: map[string]int{}}, reflect.TypeFor[T]()
	for i := range row.NumField() {
		if column := row.Field(i).Tag.Get("db"); column != "" {
			of.columns = append(of.columns, column)
			of.fields[column] = i
		}
	}
	return of
}

// list returns the columns as part of a query in which the table has an alias.
func (of table[T]) list(alias string) string {
	return alias + "." + strings.Join(of.columns, ", "+alias+".")
}

// selection is a query for all rows, in which the table has an alias.
func (of table[T]) selection(alias string) string {
	return "SELECT " + of.list(alias) + " FROM " + of.name + " " + alias + " "
}

// field returns a pointer to the field of a column.
func (of table[T]) field(row *T, column string) any {
	at, known := of.fields[column]
	if !known {
		panic(of.name + " has no column " + column)
	}
	return reflect.ValueOf(row).Elem().Field(at).Addr().Interface()
}

// into returns the destinations of the columns that list returns.
func (of table[T]) into(row *T) []any {
	all := make([]any, len(of.columns))
	for i, column := range of.columns {
		switch field := of.field(row, column).(type) {
		case *time.Time:
			all[i] = timeColumn{field}
		case **time.Time:
			all[i] = nullableTimeColumn{field}
		case *time.Duration:
			all[i] = durationColumn{field}
		case *[]string:
			all[i] = (*jsonList)(field)
		default:
			all[i] = field
		}
	}
	return all
}

// values returns some columns of a row as arguments of a statement.
func (of table[T]) values(row T, columns []string) []any {
	all := make([]any, len(columns))
	for i, column := range columns {
		switch field := of.field(&row, column).(type) {
		case *time.Time:
			all[i] = micros(*field)
		case **time.Time:
			all[i] = nullableMicros(*field)
		case *time.Duration:
			all[i] = field.Microseconds()
		case *[]string:
			all[i] = jsonList(*field)
		default:
			all[i] = reflect.ValueOf(field).Elem().Interface()
		}
	}
	return all
}

func (of table[T]) scan(from scanner) (T, error) {
	var row T
	err := from.Scan(of.into(&row)...)
	return row, err
}

// insert adds a row.
func (of table[T]) insert(t *Tx, row T) error {
	return t.exec(of.insertion(), of.values(row, of.columns)...)
}

func (of table[T]) insertion() string {
	return "INSERT INTO " + of.name + " (" + strings.Join(of.columns, ", ") + ") VALUES (" + marks(len(of.columns)) + ")"
}

// save adds a row, or replaces some columns of the one with the same key.
func (of table[T]) save(t *Tx, row T, columns ...string) error {
	sets := make([]string, len(columns))
	for i, column := range columns {
		sets[i] = column + " = excluded." + column
	}
	return t.exec(of.insertion()+" ON CONFLICT ("+strings.Join(of.key, ", ")+") DO UPDATE SET "+strings.Join(sets, ", "), of.values(row, of.columns)...)
}

// update replaces some columns of a row that exists.
func (of table[T]) update(t *Tx, row T, columns ...string) error {
	return t.execOne("UPDATE "+of.name+" SET "+strings.Join(columns, " = ?, ")+" = ? WHERE "+strings.Join(of.key, " = ? AND ")+" = ?",
		append(of.values(row, columns), of.values(row, of.key)...)...)
}
