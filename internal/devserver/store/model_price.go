package store

import "time"

// ModelPrice is a row of model_prices: the price of a model's tokens.
type ModelPrice struct {
	ID          string
	WorkspaceID string
	Entry       string // A JSON object.
	// Identity is unique among the entries of a workspace.
	Identity  string
	CreatedAt time.Time
}

// ModelPrices are the operations on prices of models.
type ModelPrices interface {
	// ModelPrices lists the prices of a workspace, oldest first.
	ModelPrices(workspaceID string) ([]ModelPrice, error)
	// ModelPrice reads one price.
	ModelPrice(workspaceID, id string) (ModelPrice, error)
	// ModelPriceLike reads the price with an identity.
	ModelPriceLike(workspaceID, identity string) (ModelPrice, error)
	// InsertModelPrice adds a price.
	InsertModelPrice(p ModelPrice) error
	// UpdateModelPrice replaces the entry of a price.
	UpdateModelPrice(p ModelPrice) error
	// DeleteModelPrice deletes a price.
	DeleteModelPrice(workspaceID, id string) error
}

const selectModelPrice = "SELECT id, workspace_id, entry, identity, created_at FROM model_prices "

func scanModelPrice(row scanner) (ModelPrice, error) {
	var p ModelPrice
	err := row.Scan(&p.ID, &p.WorkspaceID, &p.Entry, &p.Identity, timeColumn{&p.CreatedAt})
	return p, err
}

func (t *sqliteTx) ModelPrices(workspaceID string) ([]ModelPrice, error) {
	return query(t, scanModelPrice, selectModelPrice+"WHERE workspace_id = ? ORDER BY seq", workspaceID)
}

func (t *sqliteTx) ModelPrice(workspaceID, id string) (ModelPrice, error) {
	return queryOne(t, scanModelPrice, selectModelPrice+"WHERE workspace_id = ? AND id = ?", workspaceID, id)
}

func (t *sqliteTx) ModelPriceLike(workspaceID, identity string) (ModelPrice, error) {
	return queryOne(t, scanModelPrice, selectModelPrice+"WHERE workspace_id = ? AND identity = ?", workspaceID, identity)
}

func (t *sqliteTx) InsertModelPrice(p ModelPrice) error {
	return t.exec("INSERT INTO model_prices (id, workspace_id, entry, identity, created_at) VALUES (?, ?, ?, ?, ?)",
		p.ID, p.WorkspaceID, p.Entry, p.Identity, micros(p.CreatedAt))
}

func (t *sqliteTx) UpdateModelPrice(p ModelPrice) error {
	return t.execOne("UPDATE model_prices SET entry = ?, identity = ? WHERE workspace_id = ? AND id = ?",
		p.Entry, p.Identity, p.WorkspaceID, p.ID)
}

func (t *sqliteTx) DeleteModelPrice(workspaceID, id string) error {
	return t.execOne("DELETE FROM model_prices WHERE workspace_id = ? AND id = ?", workspaceID, id)
}
