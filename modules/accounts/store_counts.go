package accounts

import "context"

// counts counts the active people, the active bots and the deactivated accounts of all realms.
func (s store) counts(ctx context.Context) (people, bots, deactivated int64, err error) {
	err = s.db.From(ctx).NewSelect().Model((*userRow)(nil)).
		ColumnExpr("coalesce(sum(CASE WHEN active AND bot_type = 0 THEN 1 ELSE 0 END), 0)").
		ColumnExpr("coalesce(sum(CASE WHEN active AND bot_type <> 0 THEN 1 ELSE 0 END), 0)").
		ColumnExpr("coalesce(sum(CASE WHEN active THEN 0 ELSE 1 END), 0)").
		Where("NOT system").Scan(ctx, &people, &bots, &deactivated)
	return people, bots, deactivated, err
}
