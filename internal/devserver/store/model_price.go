package store

import "time"

// ModelPrice is a row of model_prices: the price of a model's tokens.
type ModelPrice struct {
	ID          string `db:"id"`
	WorkspaceID string `db:"workspace_id"`
	Entry       string `db:"entry"` // A JSON object.
	// Identity is unique among the entries of a workspace.
	Identity  string    `db:"identity"`
	CreatedAt time.Time `db:"created_at"`
}

var modelPrices = tableOf[ModelPrice]("model_prices", "workspace_id", "id")

// ModelPrices lists the prices of a workspace, oldest first.
func (t *Tx) ModelPrices(workspaceID string) ([]ModelPrice, error) {
	return modelPrices.find(t, "WHERE workspace_id = ? ORDER BY seq", workspaceID)
}

// ModelPrice reads one price.
func (t *Tx) ModelPrice(workspaceID, id string) (ModelPrice, error) {
	return modelPrices.one(t, "WHERE workspace_id = ? AND id = ?", workspaceID, id)
}

// ModelPriceLike reads the price with an identity.
func (t *Tx) ModelPriceLike(workspaceID, identity string) (ModelPrice, error) {
	return modelPrices.one(t, "WHERE workspace_id = ? AND identity = ?", workspaceID, identity)
}

// InsertModelPrice adds a price.
func (t *Tx) InsertModelPrice(p ModelPrice) error {
	t.priced = true
	return modelPrices.insert(t, p)
}

// UpdateModelPrice replaces the entry of a price.
func (t *Tx) UpdateModelPrice(p ModelPrice) error {
	t.priced = true
	return modelPrices.update(t, p, "entry", "identity")
}

// DeleteModelPrice deletes a price.
func (t *Tx) DeleteModelPrice(workspaceID, id string) error {
	t.priced = true
	return t.execOne("DELETE FROM model_prices WHERE workspace_id = ? AND id = ?", workspaceID, id)
}
