package uploads_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
)

// A request removes few of the blobs that are due, of which there may be very many after an outage of the store; the
// job removes all.
func TestBacklogOfBlobs(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		w := start(t, url, "")
		w.file("alice", "1.txt", "one")
		const many = 1000
		err := w.Ports.Work.Do(t.Context(), func(ctx context.Context) error {
			for i := range many {
				if _, err := w.App.DB().From(ctx).ExecContext(ctx,
					"INSERT INTO upload_blobs (key, realm_id, remove_at, removing) VALUES (?, ?, ?, ?)",
					fmt.Sprintf("gone/%d", i), w.Realm, w.Clock.Now().Add(-time.Hour), false); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		left := func() (n int) {
			if err := w.App.DB().From(t.Context()).NewRaw("SELECT COUNT(*) FROM upload_blobs").Scan(t.Context(),
				&n); err != nil {
				t.Fatal(err)
			}
			return n
		}
		w.As("alice").Do("DELETE /attachments/1").OK()
		if n := left(); n < many/2 || n > many {
			t.Errorf("%d of %d are left after a request", n, many)
		}
		w.RunJob("uploads.remove blobs")
		if n := left(); n != 0 {
			t.Errorf("%d are left", n)
		}
	})
}
