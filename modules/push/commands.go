package push

import (
	"context"
	"crypto/ecdh"
	"crypto/rand"
	"encoding/base64"
	"fmt"

	"github.com/stoachat/stoa/modules/kit"
)

// commands returns the commands about push notifications.
func (s *service) commands() []kit.Command {
	return []kit.Command{
		kit.NewCommand("push test", s.commandTest, "Send a test notification to the devices of a user."),
		kit.NewCommand("push keys vapid", newPair, "Print a new key pair for Web Push. It is not stored.").OfServer().
			WithoutDatabase(),
	}
}

// tested is the output of push test.
type tested struct {
	Email string `json:"email"`
}

func (t tested) String() string {
	return fmt.Sprintf("A push service has accepted a test notification to %s.", t.Email)
}

func (s *service) commandTest(ctx context.Context, a kit.Actor, in kit.UserFlag) (tested, error) {
	_, u, err := in.Find(ctx, s.Directory, a.Realm)
	if err != nil {
		return tested{}, err
	}
	to := a
	to.User = u.ID
	_, err = s.test(ctx, to, testRequest{})
	return tested{u.DeliveryEmail}, err
}

// pair is the output of push keys vapid.
type pair struct {
	Private string `json:"private_key"`
	Public  string `json:"public_key"`
}

func newPair(context.Context, kit.Actor, kit.None) (pair, error) {
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		return pair{}, err
	}
	text := base64.RawURLEncoding.EncodeToString
	return pair{text(key.Bytes()), text(key.PublicKey().Bytes())}, nil
}
