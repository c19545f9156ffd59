package files

import (
	"context"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/linkkey"
	"github.com/stoachat/stoa/domain/upload"
	"github.com/stoachat/stoa/modules/kit"
)

// linkLifetime is how long a temporary URL is valid.
const linkLifetime = 60 * time.Second

type temporaryReq struct {
	Realm string `json:"realm_id"`
	Path  string `json:"filename"`
}

type temporaryRes struct {
	URL string `json:"url"`
}

// temporaryURL handles GET /user_uploads/{realm_id}/{filename}. It returns a URL from which the file can be downloaded
// without login for one minute. Errors: NotFound.
func (s *Service) temporaryURL(ctx context.Context, a kit.Actor, in temporaryReq) (temporaryRes, error) {
	f, err := s.Find(ctx, a, in.Realm+"/"+in.Path)
	if err != nil {
		return temporaryRes{}, err
	}
	secret, err := s.secret.Secret(ctx)
	if err != nil {
		return temporaryRes{}, err
	}
	until := s.Clock.Now().Add(linkLifetime).UnixMilli()
	token := strconv.FormatInt(until, 36) + "." + secret.Key(purpose(until), int64(f.ID), f.PathID)
	return temporaryRes{upload.Prefix + "temporary/" + token + "/" + url.PathEscape(upload.FileName(f.PathID))}, nil
}

// purpose returns the purpose of a link's key, which binds the key to its expiry time.
func purpose(until int64) string { return "file until " + strconv.FormatInt(until, 10) }

type tokenReq struct {
	Token string `json:"token"`
	Name  string `json:"filename"`
}

// byToken handles GET /user_uploads/temporary/{token}/{filename} at the root. Errors: BadRequest, with the same text
// for all causes.
func (s *Service) byToken(ctx context.Context, a kit.Actor, in tokenReq) (*kit.Download, error) {
	bad := errs.Bad("Invalid token")
	end, key, _ := strings.Cut(in.Token, ".")
	until, err := strconv.ParseInt(end, 36, 64)
	if err != nil || !s.Clock.Now().Before(time.UnixMilli(until)) {
		return nil, bad
	}
	id, proof, ok := linkkey.Parse(key)
	if !ok {
		return nil, bad
	}
	f, err := s.Store.ByID(ctx, a.Realm, upload.ID(id))
	if err != nil {
		return nil, err
	}
	secret, err := s.secret.Secret(ctx)
	if err != nil {
		return nil, err
	}
	if f == nil || !secret.Proves(purpose(until), id, f.PathID, proof) || in.Name != upload.FileName(f.PathID) {
		return nil, bad
	}
	return s.download(ctx, f, upload.Inline(f.ContentType))
}
