package nodes

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
)

// maintenance is the row that exists while all nodes only read.
type maintenance struct {
	bun.BaseModel `bun:"table:maintenance,alias:m"`
	ID            int `bun:",pk"`
	Message       string
}

// SetMaintenance makes all nodes only read; message is what the operator tells users, which may be "". nil makes them
// change data again. It reports whether that is new.
func SetMaintenance(ctx context.Context, db *bunstore.DB, message *string) (bool, error) {
	if message == nil {
		return bunstore.Changed(db.From(ctx).NewDelete().Model((*maintenance)(nil)).Where("id = 1").Exec(ctx))
	}
	return bunstore.Changed(db.From(ctx).NewInsert().Model(&maintenance{ID: 1, Message: *message}).
		On("CONFLICT (id) DO UPDATE").Set("message = EXCLUDED.message").Where("m.message <> EXCLUDED.message").Exec(ctx))
}

// Maintenance returns what the operator tells users while all nodes only read, and otherwise nil.
func Maintenance(ctx context.Context, db *bunstore.DB) (*string, error) {
	var message *string
	err := db.From(ctx).NewSelect().ColumnExpr("MAX(message)").Table("maintenance").Scan(ctx, &message)
	return message, err
}
