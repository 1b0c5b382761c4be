package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
)

// rows reads a table except for its first rows.
func (s *copySource) rows(ctx context.Context, t sourceTable, without int64) (*sql.Rows, error) {
	return s.db.QueryContext(ctx, "SELECT "+strings.Join(t.columns, ", ")+" FROM "+t.name+" ORDER BY "+t.order+" LIMIT -1 OFFSET ?", without)
}

// listColumns are the columns with JSON lists of texts, whose elements PostgreSQL stores like texts.
var listColumns = []string{"listeners.k8s_namespaces", "oauth_tokens.scopes", "oauth_flows.scopes", "oauth_token_events.scopes"}

// scanCopied reads a row as PostgreSQL stores it, and returns about how many bytes it has.
func scanCopied(rows *sql.Rows, table sourceTable, types []string) (values []any, size int, err error) {
	values = make([]any, len(types))
	dest := make([]any, len(types))
	for i := range values {
		dest[i] = &values[i]
	}
	if err := rows.Scan(dest...); err != nil {
		return nil, 0, err
	}
	for i, value := range values {
		switch value := value.(type) {
		case string:
			size += len(value)
			if values[i], err = copiedText(table.name+"."+table.columns[i], value); err != nil {
				return nil, 0, err
			}
		case []byte:
			if size += len(value); value == nil {
				values[i] = []byte{} // An empty one; null has no type.
			}
		case int64:
			if types[i] == "boolean" {
				values[i] = value != 0
			}
		}
	}
	return values, size + 16*len(values), nil
}

// copiedText is a text as PostgreSQL stores it.
func copiedText(column, text string) (any, error) {
	if !slices.Contains(listColumns, column) {
		return storable(text), nil
	}
	var list jsonList
	if err := list.Scan(text); err != nil {
		return nil, fmt.Errorf("read %s: %w", column, err)
	}
	if list == nil && column != "listeners.k8s_namespaces" { // Earlier programs have stored null for no scopes.
		list = jsonList{}
	}
	return storableList(list).Value()
}
