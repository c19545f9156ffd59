package pictures

import "sync"

// drawn keeps pictures that were drawn lately: to draw one takes much longer than to give it. Two halves take turns:
// what is asked for goes into the newer one, and when that is full the older one is forgotten.
type drawn struct {
	draw func(address string) ([]byte, bool) // the same for the same address
	half int                                 // the most bytes of either half, with the addresses

	mu           sync.Mutex
	newer, older map[string][]byte
	bytes        int // of newer
}

// maxDrawn bounds the memory, in bytes: some thousands of pictures.
const maxDrawn = 1 << 20

func newDrawn(draw func(string) ([]byte, bool)) *drawn {
	return &drawn{draw: draw, half: maxDrawn / 2, newer: map[string][]byte{}}
}

// get gives the picture of an address, false if none is drawn for it. It must not be changed.
func (d *drawn) get(address string) ([]byte, bool) {
	d.mu.Lock()
	data, ok := d.newer[address]
	if !ok {
		if data, ok = d.older[address]; ok {
			d.put(address, data)
		}
	}
	d.mu.Unlock()
	if ok {
		return data, true
	}
	if data, ok = d.draw(address); ok {
		d.mu.Lock()
		d.put(address, data)
		d.mu.Unlock()
	}
	return data, ok
}

func (d *drawn) put(address string, data []byte) {
	if _, had := d.newer[address]; had { // somebody else has drawn it at the same time
		return
	}
	size := len(address) + len(data)
	if d.bytes+size > d.half {
		d.older, d.newer, d.bytes = d.newer, map[string][]byte{}, 0
	}
	d.newer[address] = data
	d.bytes += size
}
