package groups

import "context"

// Join adds members to several groups. They must not be in the groups yet.
func (s store) Join(ctx context.Context, rows []memberRow) error {
	_, err := s.db.From(ctx).NewInsert().Model(&rows).Exec(ctx)
	return err
}
