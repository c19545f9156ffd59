package groups

import "context"

// Join stores members of several groups who are not in them yet.
func (s store) Join(ctx context.Context, rows []memberRow) error {
	_, err := s.db.From(ctx).NewInsert().Model(&rows).Exec(ctx)
	return err
}
