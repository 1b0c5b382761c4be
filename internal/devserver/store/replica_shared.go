package store

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
)

// keptChanges is how long changes are kept for the replicas of other processes. One that has received none for half of that copies the
// tables again.
const keptChanges = 24 * time.Hour

// storedArgument is an argument of a stored statement.
type storedArgument struct {
	Null    bool    `json:"null,omitzero"`
	Integer *int64  `json:"integer,omitzero"`
	Boolean *bool   `json:"boolean,omitzero"`
	Bytes   *[]byte `json:"bytes,omitzero"`
	Text    *[]byte `json:"text,omitzero"` // It may be no UTF-8.
}

func newStoredArgument(arg any) (storedArgument, error) {
	value, err := driver.DefaultParameterConverter.ConvertValue(arg)
	if err != nil {
		return storedArgument{}, err
	}
	switch value := value.(type) {
	case nil:
		return storedArgument{Null: true}, nil
	case int64:
		return storedArgument{Integer: &value}, nil
	case bool:
		return storedArgument{Boolean: &value}, nil
	case []byte:
		return storedArgument{Bytes: &value}, nil
	case string:
		return storedArgument{Text: new([]byte(value))}, nil
	}
	return storedArgument{}, fmt.Errorf("a %T can't be copied", value)
}

func (a storedArgument) value() any {
	switch {
	case a.Integer != nil:
		return *a.Integer
	case a.Boolean != nil:
		return *a.Boolean
	case a.Bytes != nil:
		return *a.Bytes
	case a.Text != nil:
		return string(*a.Text)
	}
	return nil
}

// storeChanges stores the changes of a transaction for the replicas of all processes.
func (t *Tx) storeChanges(changes []change, now time.Time) error {
	if err := t.exec("DELETE FROM replicated WHERE stored_at < ?", t.past.now-keptChanges.Microseconds()); err != nil {
		return err
	}
	for _, c := range changes {
		arguments := make([]storedArgument, len(c.args))
		for i, arg := range c.args {
			var err error
			if arguments[i], err = newStoredArgument(arg); err != nil {
				return err
			}
		}
		if err := t.storeChange(c.statement, arguments, now); err != nil {
			return err
		}
	}
	return nil
}

// shown, in place of a statement, ends the lag of the changes before it.
const shown = ""

func (t *Tx) storeChange(statement string, arguments []storedArgument, now time.Time) error {
	list, err := json.Marshal(arguments)
	if err != nil {
		return err
	}
	return t.exec("INSERT INTO replicated (stored_at, at, statement, arguments) VALUES (?, ?, ?, ?)", t.past.now, micros(now), statement, list)
}

const lastReplicated = "SELECT coalesce(max(seq), 0) FROM replicated"

// receive reads what any process has changed since the last time, or copies the tables again if that was too long ago.
func (r *Replica) receive(ctx context.Context) error {
	now := time.Now()
	if now.Sub(r.received) > keptChanges/2 {
		if err := r.db.Do(ctx, func(tx *Tx) (err error) {
			for _, table := range slices.Backward(copiedTables) {
				err = errors.Join(err, tx.exec("DELETE FROM "+table))
			}
			return err
		}); err != nil {
			return err
		}
		r.waiting = nil
		return r.of.backend.copyTo(ctx, r.of, r)
	}
	type row struct {
		seq, at   int64
		statement string
		arguments []byte
	}
	err := r.of.Read(ctx, func(tx *Tx) error {
		return each(tx, func(of scanner) (c row, err error) {
			err = of.Scan(&c.seq, &c.at, &c.statement, &c.arguments)
			return c, err
		}, func(c row) error {
			r.through = c.seq
			if c.statement == shown {
				for i := range r.waiting {
					r.waiting[i].at = time.Time{}
				}
				return nil
			}
			var arguments []storedArgument
			if err := json.Unmarshal(c.arguments, &arguments); err != nil {
				return err
			}
			changed := change{statement: c.statement}
			for _, a := range arguments {
				changed.args = append(changed.args, a.value())
			}
			r.waiting = append(r.waiting, commit{time.UnixMicro(c.at), []change{changed}})
			return nil
		}, "SELECT c.seq, c.at, c.statement, c.arguments FROM replicated c WHERE c.seq > ? ORDER BY c.seq", r.through)
	})
	if err == nil {
		r.received = now
	}
	return err
}
