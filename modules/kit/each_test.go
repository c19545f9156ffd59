package kit_test

import (
	"errors"
	"testing"

	"github.com/stoachat/stoa/modules/kit"
)

func TestEach(t *testing.T) {
	odd := errors.New("odd")
	meet := make(chan bool)
	got := kit.Each(50, func(i int) error {
		switch {
		case i == 0:
			meet <- true // calls run concurrently
		case i == 1:
			<-meet
			return odd
		case i == 7:
			panic("seven")
		case i%2 == 1:
			return odd
		}
		return nil
	})
	for i, err := range got {
		if (err == nil) != (i%2 == 0) || i == 7 == errors.Is(err, odd) && i%2 == 1 {
			t.Errorf("%d: %v", i, err)
		}
	}
	if len(got) != 50 || len(kit.Each(0, nil)) != 0 {
		t.Error("not one result per value")
	}
}
