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

const selectModelPrice = "SELECT id, workspace_id, entry, identity, created_at FROM model_prices "

func scanModelPrice(row scanner) (ModelPrice, error) {
	var p ModelPrice
	err := row.Scan(&p.ID, &p.WorkspaceID, &p.Entry, &p.Identity, timeColumn{&p.CreatedAt})
	return p, err
}

// ModelPrices lists the prices of a workspace, oldest first.
func (t *Tx) ModelPrices(workspaceID string) ([]ModelPrice, error) {
	return query(t, scanModelPrice, selectModelPrice+"WHERE workspace_id = ? ORDER BY seq", workspaceID)
}

// ModelPrice reads one price.
func (t *Tx) ModelPrice(workspaceID, id string) (ModelPrice, error) {
	return queryOne(t, scanModelPrice, selectModelPrice+"WHERE workspace_id = ? AND id = ?", workspaceID, id)
}

// ModelPriceLike reads the price with an identity.
func (t *Tx) ModelPriceLike(workspaceID, identity string) (ModelPrice, error) {
	return queryOne(t, scanModelPrice, selectModelPrice+"WHERE workspace_id = ? AND identity = ?", workspaceID, identity)
}

// InsertModelPrice adds a price.
func (t *Tx) InsertModelPrice(p ModelPrice) error {
	t.priced = true
	return t.exec("INSERT INTO model_prices (id, workspace_id, entry, identity, created_at) VALUES (?, ?, ?, ?, ?)",
		p.ID, p.WorkspaceID, p.Entry, p.Identity, micros(p.CreatedAt))
}

// UpdateModelPrice replaces the entry of a price.
func (t *Tx) UpdateModelPrice(p ModelPrice) error {
	t.priced = true
	return t.execOne("UPDATE model_prices SET entry = ?, identity = ? WHERE workspace_id = ? AND id = ?",
		p.Entry, p.Identity, p.WorkspaceID, p.ID)
}

// DeleteModelPrice deletes a price.
func (t *Tx) DeleteModelPrice(workspaceID, id string) error {
	t.priced = true
	return t.execOne("DELETE FROM model_prices WHERE workspace_id = ? AND id = ?", workspaceID, id)
}
