package accounts

import (
	"context"
	"fmt"

	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// diagnoses returns the module's checks of stoa doctor.
func (s *service) diagnoses() []kit.Diagnosis {
	return []kit.Diagnosis{{
		Name: "owners", Doc: "Each organization has an active owner.",
		Wrong: []kit.Wrong{{
			Table: "realms", With: []string{"users"}, Text: "have no active owner",
			Where: fmt.Sprintf("NOT r.deactivated AND NOT EXISTS (SELECT 1 FROM users u WHERE u.realm_id = r.id "+
				"AND u.role = %d AND u.active AND u.bot_type = 0)", user.Owner),
			Remedy: "stoa user create --role owner",
		}},
	}, {
		Name: "addresses", Doc: "The keys by which addresses are unique match the addresses.",
		Run: s.store.examineAddresses, Fix: s.repairAddresses,
	}}
}

// perExamination is how many users one query reads.
const perExamination = 5000

// wrongKeys calls fn with each user whose key does not match the address.
func (s store) wrongKeys(ctx context.Context, fn func(id user.ID, key string) error) error {
	for after := user.ID(0); ; {
		var rows []struct {
			ID                      user.ID
			DeliveryEmail, EmailKey string
		}
		err := s.db.From(ctx).NewSelect().Table("users").Column("id", "delivery_email", "email_key").
			Where("id > ?", after).Order("id").Limit(perExamination).Scan(ctx, &rows)
		if err != nil || len(rows) == 0 {
			return err
		}
		for _, r := range rows {
			if key := user.EmailKey(r.DeliveryEmail); key != r.EmailKey {
				if err := fn(r.ID, key); err != nil {
					return err
				}
			}
		}
		after = rows[len(rows)-1].ID
	}
}

func (s store) examineAddresses(ctx context.Context) ([]kit.Finding, error) {
	var all []kit.Finding
	err := s.wrongKeys(ctx, func(id user.ID, _ string) error {
		all = append(all, kit.Finding{Text: fmt.Sprintf("the address of user %d is stored under a wrong key", id)})
		return nil
	})
	return all, err
}

// repairAddresses corrects the keys of addresses. It fails if another user has the same address.
func (s *service) repairAddresses(ctx context.Context) error {
	return s.store.wrongKeys(ctx, func(id user.ID, key string) error {
		return s.Work.Do(ctx, func(ctx context.Context) error {
			_, err := s.DB.From(ctx).NewUpdate().Table("users").Set("email_key = ?", key).Where("id = ?", id).Exec(ctx)
			if s.DB.Conflict(err) {
				return fmt.Errorf("another user has the address of user %d; change one with stoa user email", id)
			}
			return err
		})
	})
}
