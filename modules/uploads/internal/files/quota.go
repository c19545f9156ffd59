package files

import (
	"context"
	"math"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/quota"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/upload"
	"github.com/stoachat/stoa/domain/user"
)

// noQuota means that a realm's storage is unlimited.
const noQuota = -1

// quota returns the storage limit of a realm in bytes, or noQuota, and the realm's view.
func (s *Service) quota(ctx context.Context, r realm.ID) (int64, *directory.View, error) {
	v, err := s.Directory.View(ctx, r)
	if err != nil || v.Realm() == nil || v.Realm().Settings.UploadQuotaMiB == nil {
		return noQuota, v, err
	}
	return int64(*v.Realm().Settings.UploadQuotaMiB) << 20, v, nil
}

// space is the storage left for a user.
type space struct {
	bytes    int64
	exceeded error // for a file that does not fit
}

func unlimited() space { return space{bytes: math.MaxInt64, exceeded: upload.OverQuota()} }

// freeSpace returns the storage left for a user.
func (s *Service) freeSpace(ctx context.Context, by user.Actor) (space, error) {
	if total, _, err := s.quota(ctx, by.Realm); err != nil || total < 0 {
		return unlimited(), err
	}
	used, err := s.Store.Space(ctx, by.Realm)
	if err != nil {
		return space{}, err
	}
	return s.freeBeside(ctx, by, used)
}

// freeBeside returns the storage left for a user if the realm's files have the given total size. A part of the quota is
// kept for others (quota.Share).
func (s *Service) freeBeside(ctx context.Context, by user.Actor, used int64) (space, error) {
	total, v, err := s.quota(ctx, by.Realm)
	if err != nil || total < 0 {
		return unlimited(), err
	}
	now, role := s.Clock.Now(), permission.Role(v, by)
	reserved, err := s.Store.Reserved(ctx, by.Realm, now)
	if err != nil {
		return space{}, err
	}
	free := space{bytes: quota.Room(total, role) - used - reserved, exceeded: upload.OverQuota()}
	share, limited := quota.Share(total, total, role)
	if !limited || free.bytes <= 0 {
		return free, nil
	}
	own, err := s.Store.SpaceOf(ctx, by.Realm, v.Accounts(by.User), now)
	if left := share - own; left < free.bytes {
		free = space{bytes: left, exceeded: upload.OverShare()}
	}
	return free, err
}

// Reserve checks that another file fits in the quota in addition to the realm's files and reservations. Call it inside
// the Do that stores the reservation. It locks the realm's space until the end of the transaction, so that no other
// file or reservation can take it on any node. Errors: UploadQuota.
func (s *Service) Reserve(ctx context.Context, by user.Actor, bytes int64) error {
	if total, _, err := s.quota(ctx, by.Realm); err != nil || total < 0 {
		return err
	}
	used, err := s.Store.AddSpace(ctx, by.Realm, 0) // locks the row
	if err != nil {
		return err
	}
	return s.fitsBeside(ctx, by, used, bytes)
}

// fitsBeside checks that a user's file fits in the quota if the realm's files have the given total size. Errors:
// UploadQuota.
func (s *Service) fitsBeside(ctx context.Context, by user.Actor, used, bytes int64) error {
	free, err := s.freeBeside(ctx, by, used)
	if err == nil && bytes > free.bytes {
		err = free.exceeded
	}
	return err
}

// CheckQuota checks that a file with reserved space fits in the quota, which may have been lowered since
// the reservation. Errors: UploadQuota.
func (s *Service) CheckQuota(ctx context.Context, r realm.ID, bytes int64) error {
	total, _, err := s.quota(ctx, r)
	if err != nil || total < 0 {
		return err
	}
	used, err := s.Store.Space(ctx, r)
	if err == nil && used+bytes > total {
		err = upload.OverQuota()
	}
	return err
}
