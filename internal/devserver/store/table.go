package store

import (
	"reflect"
	"slices"
	"strings"
	"time"
)

// table describes a table whose rows are structs: a field with the tag db is the column that the tag names. Other fields come from elsewhere.
type table[T any] struct {
	name     string
	key      []string // The columns that identify a row.
	columns  []string
	at       []int          // The fields of the columns.
	inserted []string       // The database numbers rows itself, in the column seq.
	fields   map[string]int // By column.
}

func tableOf[T any](name string, key ...string) table[T] {
	of, row := table[T]{name: name, key: key, fields: map[string]int{}}, reflect.TypeFor[T]()
	for i := range row.NumField() {
		if column := row.Field(i).Tag.Get("db"); column != "" {
			of.columns, of.at = append(of.columns, column), append(of.at, i)
			of.fields[column] = i
		}
	}
	of.inserted = slices.DeleteFunc(slices.Clone(of.columns), func(column string) bool { return column == "seq" })
	return of
}

// aliased returns the columns as part of a query in which the table has an alias.
func (of table[T]) aliased(alias string) string {
	return alias + "." + strings.Join(of.columns, ", "+alias+".")
}

// selection is a query for all rows, in which the table has an alias.
func (of table[T]) selection(alias string) string {
	return "SELECT " + of.aliased(alias) + " FROM " + of.name + " " + alias + " "
}

// into returns the destinations of the columns that aliased returns.
func (of table[T]) into(row *T) []any {
	const others = 3 // Usually, as many columns from elsewhere follow.
	all, fields := make([]any, len(of.columns), len(of.columns)+others), reflect.ValueOf(row).Elem()
	for i, at := range of.at {
		switch field := fields.Field(at).Addr().Interface().(type) {
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
	all, fields := make([]any, len(columns)), reflect.ValueOf(row)
	for i, column := range columns {
		at, known := of.fields[column]
		if !known {
			panic(of.name + " has no column " + column)
		}
		switch field := fields.Field(at).Interface().(type) {
		case time.Time:
			all[i] = micros(field)
		case *time.Time:
			all[i] = nullableMicros(field)
		case time.Duration:
			all[i] = field.Microseconds()
		case []string:
			all[i] = jsonList(append([]string{}, field...)) // Not null.
		default:
			all[i] = field
		}
	}
	return all
}

func (of table[T]) scan(from scanner) (T, error) {
	var row T
	err := from.Scan(of.into(&row)...)
	return row, err
}

// find reads the rows that the rest of a query selects, which begins with an alias of the table, or with WHERE.
func (of table[T]) find(t *Tx, rest string, args ...any) ([]T, error) {
	return query(t, of.scan, "SELECT "+strings.Join(of.columns, ", ")+" FROM "+of.name+" "+rest, args...)
}

// one is find for exactly one row.
func (of table[T]) one(t *Tx, rest string, args ...any) (T, error) {
	return queryOne(t, of.scan, "SELECT "+strings.Join(of.columns, ", ")+" FROM "+of.name+" "+rest, args...)
}

// insert adds rows.
func (of table[T]) insert(t *Tx, rows ...T) error {
	for _, row := range rows {
		if err := t.exec(of.insertion(), of.values(row, of.inserted)...); err != nil {
			return err
		}
	}
	return nil
}

func (of table[T]) insertion() string {
	return "INSERT INTO " + of.name + " (" + strings.Join(of.inserted, ", ") + ") VALUES (" + marks(len(of.inserted)) + ")"
}

// save adds a row, or replaces some columns of the one with the same key.
func (of table[T]) save(t *Tx, row T, columns ...string) error {
	sets := make([]string, len(columns))
	for i, column := range columns {
		sets[i] = column + " = excluded." + column
	}
	return t.exec(of.insertion()+" ON CONFLICT ("+strings.Join(of.key, ", ")+") DO UPDATE SET "+strings.Join(sets, ", "), of.values(row, of.inserted)...)
}

// update replaces some columns of a row that exists.
func (of table[T]) update(t *Tx, row T, columns ...string) error {
	return t.execOne("UPDATE "+of.name+" SET "+strings.Join(columns, " = ?, ")+" = ? WHERE "+strings.Join(of.key, " = ? AND ")+" = ?",
		append(of.values(row, columns), of.values(row, of.key)...)...)
}
